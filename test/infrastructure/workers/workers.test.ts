/** Work in threads: its time limit, its errors, and the share of each tenant. */
import { afterAll, expect, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { createWorkers, WorkTimeout, workIn } from "../../../src/infrastructure/workers/workers.ts";

const workers = createWorkers({ threads: 2 });
afterAll(() => workers.end());

const file = new URL("./work.ts", import.meta.url);
const within = workIn<typeof import("./work.ts")>();
const echo = within(file, "echo", 5_000);
const sleep = within(file, "sleep", 5_000);

test("work gives the result of its function", async () => {
  expect(await workers.run(echo, { bytes: new Uint8Array([1, 2]), text: "é" }, "1")).toEqual({
    bytes: new Uint8Array([1, 2]),
    text: "é",
  });
});

test("what a function throws arrives as an error with its message", async () => {
  const fail = within(file, "fail", 5_000);
  const error = await workers.run(fail, "out of range", "1").catch((error) => error);
  expect(error).toBeInstanceOf(Error);
  expect(error.message).toBe("out of range");
});

test.each(["loop", "digits"] as const)(
  "past its limit, work that runs %s ends with its thread",
  async (name) => {
    const endless = within(file, name, 200);
    const begun = performance.now();
    const error = await workers.run(endless, 20_000_000 as never, "1").catch((error) => error);
    expect(error).toBeInstanceOf(WorkTimeout);
    expect(performance.now() - begun).toBeLessThan(5_000);
    expect(await workers.run(echo, "next", "1")).toBe("next");
  },
);

test("a pause of the process does not count towards the limit", async () => {
  const child = Bun.spawn([process.execPath, fileURLToPath(new URL("./paused.ts", import.meta.url))], {
    stdout: "pipe",
  });
  let said = "";
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    said += text;
    if (said !== "begun\n") continue;
    child.kill("SIGSTOP");
    await Bun.sleep(3_000);
    child.kill("SIGCONT");
  }
  expect(said).toBe("begun\ndone\n");
  expect(await child.exited).toBe(0);
});

test("the main thread goes on while work runs", async () => {
  const busy = workers.run(within(file, "loop", 400), undefined as never, "1").catch(() => "ended");
  let ticks = 0;
  const timer = setInterval(() => ticks++, 10);
  expect(await busy).toBe("ended");
  clearInterval(timer);
  expect(ticks).toBeGreaterThan(10);
});

test("a tenant that fills its share leaves a thread to the others", async () => {
  const order: string[] = [];
  const many = Array.from({ length: 4 }, async () => {
    await workers.run(sleep, 300, "many");
    order.push("many");
  });
  const one = workers.run(sleep, 10, "one").then(() => order.push("one"));
  await Promise.all([...many, one]);
  expect(order[0]).toBe("one");
});
