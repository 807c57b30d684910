import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm, stat, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ImportPlan } from "../../../src/tables/bulk/importPlan.ts";
import { readSlice } from "../../../src/tables/bulk/importWork.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "waybill-import-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const start = { offset: 0, line: 1, row: 0 };

async function planOf(text: string): Promise<ImportPlan> {
  const path = join(folder, crypto.randomUUID());
  await Bun.write(path, text);
  const columns = [{ name: "s", type: "text" as const, nullable: true }];
  const file = { path, size: Buffer.byteLength(text), format: "text/csv" as const };
  return { ...file, columns, names: ["s"], delimiter: ",", decimalComma: false };
}

test("the sweep does not take the file of an import that runs", async () => {
  const plan = await planOf("a\n");
  await utimes(plan.path, 0, 0);
  readSlice({ plan, place: start });
  expect(Date.now() - (await stat(plan.path)).mtimeMs).toBeLessThan(60_000);
});

test("a row that is longer than a slice is read whole", async () => {
  const long = "x".repeat(3 * 1024 ** 2);
  const slice = readSlice({ plan: await planOf(`${long}\nb\n`), place: start });
  expect([slice.count, slice.isLast, slice.rows.length]).toEqual([2, true, long.length + 3]);
});

test("a quote that is missing does not make the rest of a large file one cell", async () => {
  const slice = readSlice({ plan: await planOf(`"${"x\n".repeat(40 * 1024 ** 2)}`), place: start });
  expect(slice).toMatchObject({ isLast: true, faults: [{ code: "row_too_large", line: 1 }] });
});

test("a slice ends at a row, and the next one begins there", async () => {
  const plan = await planOf(Array.from({ length: 300_000 }, (_, n) => `row ${n}\r\n`).join(""));
  let [rows, place] = ["", start];
  for (let isLast = false; !isLast; ) {
    const slice = readSlice({ plan, place });
    rows += Buffer.from(slice.rows).toString();
    ({ next: place, isLast } = slice);
  }
  expect(place).toMatchObject({ line: 300_001, row: 300_000, offset: plan.size });
  expect(rows.split("\n").slice(0, -1)).toEqual(Array.from({ length: 300_000 }, (_, n) => `row ${n}`));
});
