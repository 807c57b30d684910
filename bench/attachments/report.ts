/** The figures as tables in Markdown, each with its aim. */
import { markdownTable, megabytes, round, verdict } from "../markdown.ts";
import type { Comparison } from "../measure.ts";
import { type Peak, uploadsAtOnce } from "./memory.ts";
import type { Download, Transfer } from "./transfers.ts";

const perSecond = (milliseconds: number, concurrency = 1) => round((1000 * concurrency) / milliseconds, 0);
/** The aim is stated for 1 MB and 10 MB. */
const aim = 0.8;
const aimOf = ({ size }: Transfer) => (size.bytes >= 1_000_000 ? aim : undefined);

function ratioCells(transfer: Transfer): string[] {
  const [{ ratio }, least] = [transfer.comparison, aimOf(transfer)];
  return [round(ratio), least === undefined ? "" : `${least}: ${verdict(ratio >= least)}`];
}

const rateCells = ({ size, concurrency, comparison }: Transfer) => [
  size.name,
  String(concurrency),
  perSecond(comparison.reference.median, concurrency),
  perSecond(comparison.subject.median, concurrency),
];

export const uploadTable = (uploads: readonly Transfer[]) =>
  markdownTable(
    ["upload", "at once", "bare, per second", "Waybill, per second", "ratio", "aim"],
    uploads.map((upload) => [...rateCells(upload), ...ratioCells(upload)]),
  );

export const downloadTable = (downloads: readonly Download[]) =>
  markdownTable(
    [
      "download",
      "at once",
      "bare, per second",
      "Waybill, per second",
      "ratio",
      "aim",
      "first byte, bare",
      "Waybill",
    ],
    downloads.map((download) => [
      ...rateCells(download),
      ...ratioCells(download),
      `${round(download.firstByte.baseline)} ms`,
      `${round(download.firstByte.waybill)} ms`,
    ]),
  );

export function issuingTable({ reference, subject, ratio }: Comparison): string {
  const times = 1 / ratio;
  return markdownTable(
    ["URLs a request", "requests per second", "URLs per second", "time of one", "aim"],
    [
      ["1", perSecond(reference.median), perSecond(reference.median), "1", ""],
      [
        "100",
        perSecond(subject.median),
        perSecond(subject.median, 100),
        round(times),
        `5 at most: ${verdict(times <= 5)}`,
      ],
    ],
  );
}

export const memoryTable = (baseline: Peak, waybill: Peak) =>
  markdownTable(
    [`${uploadsAtOnce} uploads of 10 MB at once`, "before", "peak", "took", "aim"],
    [
      ["bare", megabytes(baseline.before), megabytes(baseline.peak), `${round(baseline.seconds, 1)} s`, ""],
      [
        "Waybill",
        megabytes(waybill.before),
        megabytes(waybill.peak),
        `${round(waybill.seconds, 1)} s`,
        `under 300 MB: ${verdict(waybill.peak < 300 * 1024 ** 2)}`,
      ],
    ],
  );

export function finalizeTable({ reference, subject, ratio }: Comparison): string {
  const times = 1 / ratio;
  return markdownTable(
    ["attachments", "finalizes per second", "median", "p99", "time", "aim"],
    [
      [
        "1,000",
        perSecond(reference.median),
        `${round(reference.median)} ms`,
        `${round(reference.p99)} ms`,
        "1",
        "",
      ],
      [
        "1,000,000",
        perSecond(subject.median),
        `${round(subject.median)} ms`,
        `${round(subject.p99)} ms`,
        round(times),
        `1.2 at most: ${verdict(times <= 1.2)}`,
      ],
    ],
  );
}
