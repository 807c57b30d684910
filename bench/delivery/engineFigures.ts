/** The tables of `bun run bench delivery --engine`. */
import { markdownTable, round, verdict } from "../markdown.ts";
import type { Contestant } from "./engineSite.ts";
import type { ProcessorTime } from "./processorTime.ts";

export interface EngineFigures {
  readonly rounds: number;
  /** Of one round. */
  readonly instances: number;
  /** Instances a second, one entry for each round. */
  readonly rates: Readonly<Record<Contestant, readonly number[]>>;
  /** Processor time of one instance, in milliseconds, summed over all rounds. */
  readonly times: Readonly<Record<Contestant, ProcessorTime>>;
  /** Instances a second of the embedded engine, with the same bodies and with a file in each. */
  readonly embedded: Readonly<Record<"text" | "file", readonly number[]>>;
}

const aims = { besideBare: 0.8, embedded: 3 };

export function printEngineFigures(figures: EngineFigures): void {
  console.log(
    markdownTable(
      [`${figures.instances} instances, the median of ${figures.rounds} rounds`, "figure", "aim"],
      rateRows(figures),
    ),
  );
  console.log(
    markdownTable(
      ["processor time of an instance", ...contestants.map(([, title]) => title)],
      timeRows(figures),
    ),
  );
}

const contestants = [
  ["bare", "the bare worker"],
  ["same", "Waybill, the same bodies"],
  ["file", "Waybill, with a file"],
] as const satisfies readonly (readonly [Contestant, string])[];

function rateRows({ rates, embedded }: EngineFigures): string[][] {
  const rate = (values: readonly number[]) => `${round(median(values), 0)}/s`;
  const ratios = (contestant: Contestant) =>
    rates[contestant].map((value, index) => value / (rates.bare[index] ?? Number.NaN));
  const beside = ratios("same");
  const byBare = (values: readonly number[]) => median(values) / median(rates.bare);
  const faster = byBare(embedded.text);
  return [
    ["Operaton with a bare external-task worker", rate(rates.bare), ""],
    ["Operaton with one process of Waybill, the same bodies", rate(rates.same), ""],
    [
      "ratio to the bare worker of the same round",
      spread(beside),
      `${aims.besideBare}: ${verdict(median(beside) >= aims.besideBare)}`,
    ],
    ["Operaton with one process of Waybill, a file in each body", rate(rates.file), ""],
    ["ratio to the bare worker, which sends no file", spread(ratios("file")), ""],
    ["the embedded engine, one process, the same bodies", rate(embedded.text), ""],
    [
      "by Operaton with the bare worker",
      round(faster, 1),
      `${aims.embedded}: ${verdict(faster >= aims.embedded)}`,
    ],
    ["the embedded engine, one process, a file in each body", rate(embedded.file), ""],
    ["by Operaton with the bare worker, which sends no file", round(byBare(embedded.file), 1), ""],
  ];
}

/** What took part in each contestant's rounds. */
function timeRows({ times, rounds }: EngineFigures): string[][] {
  const whats = [...new Set(contestants.flatMap(([contestant]) => [...times[contestant].keys()]))];
  const cell = (ms: number) => `${round(ms / rounds, 1)} ms`;
  const total = (contestant: Contestant) => [...times[contestant].values()].reduce((sum, ms) => sum + ms, 0);
  return [
    ...whats.map((what) => [
      what,
      ...contestants.map(([contestant]) => cell(times[contestant].get(what) ?? 0)),
    ]),
    ["together", ...contestants.map(([contestant]) => cell(total(contestant)))],
  ];
}

const sorted = (values: readonly number[]) => values.toSorted((a, b) => a - b);

/** Of an even number of values, the middle of the two in the middle. */
function median(values: readonly number[]): number {
  const [low, high] = [Math.floor((values.length - 1) / 2), Math.floor(values.length / 2)];
  const ordered = sorted(values);
  return ((ordered[low] ?? Number.NaN) + (ordered[high] ?? Number.NaN)) / 2;
}

/** The median, and the lowest and the highest. */
function spread(values: readonly number[]): string {
  const [low = Number.NaN, high = Number.NaN] = [sorted(values)[0], sorted(values).at(-1)];
  return `${round(median(values))} (${round(low)} to ${round(high)})`;
}
