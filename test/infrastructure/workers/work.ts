/** Work for workers.test.ts. */
export const echo = (value: unknown) => value;

export const loop = (): never => {
  for (;;);
};

/** A value whose parts a parser reads in one native call. */
export const digits = (length: number) => BigInt("9".repeat(length)).toString(16).length;

export const fail = (message: string): never => {
  throw new RangeError(message);
};

export const sleep = async (ms: number) => {
  await Bun.sleep(ms);
  return ms;
};
