/** Waits until the condition holds, and checks it every 20 ms. Throws if it still does not hold after `seconds`. */
export async function until(condition: () => boolean | Promise<boolean>, seconds = 30): Promise<void> {
  for (const deadline = Date.now() + seconds * 1000; !(await condition()); await Bun.sleep(20))
    if (Date.now() > deadline) throw new Error(`not within ${seconds} s: ${condition}`);
}
