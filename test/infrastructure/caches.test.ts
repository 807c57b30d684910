import { expect, test } from "bun:test";
import { type CacheDescription, createCaches } from "../../src/infrastructure/caches.ts";

const numbers: CacheDescription<Map<string, number>> = { create: () => new Map() };

test("a description gives the same cache every time", () => {
  const caches = createCaches();
  caches.of(numbers).set("one", 1);
  expect(caches.of(numbers).get("one")).toBe(1);
});

test("two descriptions, and two processes, share nothing", () => {
  const caches = createCaches();
  caches.of(numbers).set("one", 1);
  expect(caches.of({ ...numbers }).size).toBe(0);
  expect(createCaches().of(numbers).size).toBe(0);
});
