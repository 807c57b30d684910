/** Work for a thread that only takes time. */
export const hold = async (ms: number): Promise<number> => {
  await Bun.sleep(ms);
  return ms;
};
