import { expect, test } from "bun:test";
import { untilAborted, withTimeout } from "../../src/infrastructure/withTimeout.ts";

const never = new Promise<never>(() => {});

test("work that ends in time gives its result or its error", async () => {
  const options = { ms: 1_000, onTimeout: () => "late" };
  expect(await withTimeout(Promise.resolve("done"), options)).toBe("done");
  await expect(withTimeout(Promise.reject(new Error("failed")), options)).rejects.toThrow("failed");
});

test("work that takes too long gives what onTimeout returns or throws", async () => {
  expect(await withTimeout<string>(never, { ms: 1, onTimeout: () => "late" })).toBe("late");
  const fail = () => {
    throw new Error("too late");
  };
  await expect(withTimeout(never, { ms: 1, onTimeout: fail })).rejects.toThrow("too late");
});

test("every wait ends when the signal is aborted, and one that begins later fails at once", async () => {
  const controller = new AbortController();
  const wait = untilAborted(controller.signal);
  expect(await wait(Promise.resolve(1))).toBe(1);
  const waiting = wait(never);
  controller.abort(new Error("stop"));
  await expect(waiting).rejects.toThrow("stop");
  await expect(wait(never)).rejects.toThrow("stop");
});
