/** Work for a thread that takes time and nothing else. */
export const sleep = async (ms: number): Promise<number> => {
  await Bun.sleep(ms);
  return ms;
};
