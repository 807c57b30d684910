/** The figures as tables in Markdown, each with its aim. */
import { markdownTable, megabytes, round, verdict } from "../markdown.ts";
import type { Comparison } from "../measure.ts";
import type { Overhead } from "./overhead.ts";
import type { Latencies } from "./registry.ts";

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

/** Two columns of latencies side by side: 10 tables against 10,000, or the bare server against Waybill. */
export const registryTable = (first: Latencies, second: Latencies) =>
  markdownTable(
    ["work", "10 tables, or bare", "10,000 tables, or Waybill", "time"],
    Object.entries(first).map(([name, median]) => [
      name,
      milliseconds(median),
      milliseconds(second[name] ?? Number.NaN),
      round((second[name] ?? Number.NaN) / median),
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

const aim = 200 * 1024 ** 2;

export const memoryTable = (waybill: number, postgres: number) =>
  markdownTable(
    ["memory after the run", "", "aim"],
    [
      ["Waybill", megabytes(waybill), `under 200 MB: ${verdict(waybill < aim)}`],
      ["PostgreSQL", megabytes(postgres), ""],
    ],
  );
