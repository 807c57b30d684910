/** The figures as tables in Markdown, each with its aim. */
import { markdownTable, megabytes, round, verdict } from "../markdown.ts";
import type { Comparison } from "../measure.ts";
import type { BulkResult } from "./bulk.ts";
import type { Overhead } from "./overhead.ts";
import type { RegistryResult } from "./registry.ts";

const milliseconds = (value: number) => `${round(value)} ms`;

export const overheadTable = (results: readonly Overhead[]) =>
  markdownTable(
    ["work", "at once", "bare, median", "Waybill, median", "ratio", "aim", "p99, Waybill by bare", "aim"],
    results.map(({ work, concurrency, comparison: { reference, subject, ratio, p99Ratio } }) => [
      work.name,
      String(concurrency),
      milliseconds(reference.median),
      milliseconds(subject.median),
      round(ratio),
      `${work.aim}: ${verdict(ratio >= work.aim)}`,
      round(p99Ratio),
      `2 at most: ${verdict(p99Ratio <= 2)}`,
    ]),
  );

/** Ten tables that are all there is, and the same ten among 10,000. */
export const hotTable = (results: readonly RegistryResult[]) =>
  markdownTable(
    ["ten tables, in turn", "of 10", "of 10,000", "time", "aim", "p99, of 10", "of 10,000"],
    results.map(({ name, comparison: { reference, subject, ratio } }) => [
      name,
      milliseconds(reference.median),
      milliseconds(subject.median),
      round(1 / ratio),
      `1.2 at most: ${verdict(1 / ratio <= 1.2)}`,
      milliseconds(reference.p99),
      milliseconds(subject.p99),
    ]),
  );

/** The bare server and Waybill, both all over the 10,000. */
export const spreadTable = (results: readonly RegistryResult[]) =>
  markdownTable(
    ["all 10,000 tables, in turn", "bare", "Waybill", "time", "p99, bare", "Waybill"],
    results.map(({ name, comparison: { reference, subject, ratio } }) => [
      name,
      milliseconds(reference.median),
      milliseconds(subject.median),
      round(1 / ratio),
      milliseconds(reference.p99),
      milliseconds(subject.p99),
    ]),
  );

export const largeTableTable = ({ reference, subject }: Comparison) =>
  markdownTable(
    ["a page of 50", "median", "p99"],
    [
      ["with `$total=false`", milliseconds(reference.median), milliseconds(reference.p99)],
      ["with the total", milliseconds(subject.median), milliseconds(subject.p99)],
    ],
  );

const mostBulkMemory = 250 * 1024 ** 2;

export const bulkTable = (results: readonly BulkResult[]) =>
  markdownTable(
    ["work", "`psql \\copy`, median", "Waybill, median", "ratio", "aim", "most memory of Waybill", "aim"],
    results.map(({ name, psql, waybill, memory, aim }) => [
      name,
      seconds(psql.median),
      seconds(waybill.median),
      round(psql.median / waybill.median),
      `${aim}: ${verdict(psql.median / waybill.median >= aim)}`,
      megabytes(memory),
      `under 250 MB: ${verdict(memory < mostBulkMemory)}`,
    ]),
  );

const seconds = (ms: number) => `${round(ms / 1000)} s`;

const aim = 200 * 1024 ** 2;

export const memoryTable = (waybill: number, postgres: number) =>
  markdownTable(
    ["memory after the run", "", "aim"],
    [
      ["Waybill", megabytes(waybill), `under 200 MB: ${verdict(waybill < aim)}`],
      ["PostgreSQL", megabytes(postgres), ""],
    ],
  );
