/** `createClient` has every operation of the contract, under its tag. */
import { expect, test } from "bun:test";
import { createClient } from "../../sdk/src/index.ts";
import { operations } from "../../src/generated/operations.ts";

test("every operation except pages is a method of its tag's client", () => {
  const client = createClient({ baseUrl: "http://127.0.0.1" }) as unknown as Record<
    string,
    Record<string, unknown>
  >;
  const callable = Object.values(operations).filter(({ tag }) => tag !== "startForm");
  const missing = callable.filter(({ tag, id }) => typeof client[tag]?.[id] !== "function");
  expect(missing.map(({ id }) => id)).toEqual([]);
});
