/** The times of timers. The moments are those at which Operaton 1.0.3 set the same timers. */
import { describe, expect, test } from "bun:test";
import { type ProcessModel, readModel } from "../../../src/processes/bpmn/readModel.ts";
import { expiryOf } from "../../../src/processes/bpmn/timers.ts";
import { runStep } from "../../../src/processes/engines/embedded/run.ts";
import { plainValues } from "../../../src/processes/variables/show.ts";
import { escapeXml, flow, model, start } from "../../support/bpmn.ts";

const now = new Date("2026-11-22T04:55:00.000Z");

test.each([
  ["2027-01-01T01:00:00Z", "2027-01-01T01:00:00.000Z"],
  ["2027-01-01T01:00:00.000+0200", "2026-12-31T23:00:00.000Z"],
  ["2027-01-01T01:00:00+0200", "2026-12-31T23:00:00.000Z"],
  ["2027-01-01T01:00:00+02:00", "2026-12-31T23:00:00.000Z"],
  ["2027-01-01T01:00:00+02", "2026-12-31T23:00:00.000Z"],
  ["2027-01-01T01:00Z", "2027-01-01T01:00:00.000Z"],
  ["2027-01-01T01:00:00,5Z", "2027-01-01T01:00:00.500Z"],
  ["2027-01-01T01:00:00.123456Z", "2027-01-01T01:00:00.123Z"],
  [" 2027-01-01T01:00:00Z ", "2027-01-01T01:00:00.000Z"],
  ["PT1H", "2026-11-22T05:55:00.000Z"],
  [" PT1H ", "2026-11-22T05:55:00.000Z"],
  ["P1W", "2026-11-29T04:55:00.000Z"],
  ["P1M", "2026-12-22T04:55:00.000Z"],
  ["P1Y2M3DT4H5M6S", "2028-01-25T09:00:06.000Z"],
  ["PT36H", "2026-11-23T16:55:00.000Z"],
  ["R3/PT1H", "2026-11-22T05:55:00.000Z"],
  ["PT1H/2027-01-01T00:00:00Z", "2027-01-01T00:00:00.000Z"],
  ["2027-01-01T00:00:00Z/PT1H", "2027-01-01T01:00:00.000Z"],
])("%p is due at %p", (text, moment) => {
  expect(expiryOf(text, now).toISOString()).toBe(moment);
});

const faulty = [
  "tomorrow",
  "2027-02-30T00:00:00Z",
  "2027-01-01 01:00:00",
  "P",
  "PT",
  "pt1h",
  "-PT1H",
  "P-1D",
  "1h",
  "10",
  "",
];
test.each(faulty)("%p is no time", (text) => {
  expect(() => expiryOf(text, now)).toThrow();
});

const waiting = (kind: string, time: string) =>
  model(
    "waiting",
    `${start()}<intermediateCatchEvent id="wait"><timerEventDefinition id="t"><${kind}>${escapeXml(time)}</${kind}>
    </timerEventDefinition></intermediateCatchEvent>${flow("start", "wait")}`,
  );

async function modelOf(kind: string, time: string): Promise<ProcessModel> {
  const read = await readModel(waiting(kind, time));
  if ("faults" in read) throw new Error(JSON.stringify(read.faults));
  return read.model;
}

describe("a timer of a process", () => {
  const values = plainValues(
    new Map([
      ["date", { type: "Date", value: '"2027-01-01T01:00:00.000+0200"' }],
      ["text", { type: "String", value: '"2027-01-01T01:00:00+02:00"' }],
      ["hours", { type: "Integer", value: "3" }],
      ["duration", { type: "String", value: '"PT1H"' }],
    ]),
  );
  const hour = "2026-11-22T05:55:00.000Z";
  const newYear = "2026-12-31T23:00:00.000Z";
  test.each([
    ["timeDate", "${date}", newYear],
    ["timeDate", "${text}", newYear],
    ["timeDate", "2027-01-01T01:00:00+0200", newYear],
    ["timeDate", "${duration}", hour],
    ["timeDate", " PT1H ", hour],
    ["timeDuration", "${date}", newYear],
    ["timeDuration", "PT${hours}H", "2026-11-22T07:55:00.000Z"],
    ["timeDuration", "PT${hours}H${hours}M", "2026-11-22T07:58:00.000Z"],
    ["timeDuration", "\n  PT1H\n", hour],
  ])("%s %p is due at %p", async (kind, time, moment) => {
    const given = await modelOf(kind, time);
    const { nextTimer } = runStep({
      model: given,
      state: undefined,
      event: { kind: "started" },
      values,
      now,
    });
    expect(nextTimer?.toISOString()).toBe(moment);
    const names = [...time.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name ?? "");
    expect([...given.reads]).toEqual([...new Set(names)]);
  });

  test.each([
    ["timeDuration", "soon", '"soon" is not an ISO 8601 duration.'],
    ["timeDate", "soon", '"soon" is not an ISO 8601 date.'],
    ["timeDuration", "-PT1H", '"-PT1H" is not an ISO 8601 duration.'],
    ["timeDuration", "PT${hours", 'a "}" or a quote is missing'],
    ["timeDuration", "PT${hours +}H", "cannot be read"],
    ["timeDuration", "", '"" is not an ISO 8601 duration.'],
    ["timeDuration", `PT${"0".repeat(300)}1H`, "is not an ISO 8601 duration."],
  ])("%s %p is refused", async (kind, time, words) => {
    const read = await readModel(waiting(kind, time));
    expect("faults" in read && read.faults.map(({ detail }) => detail)).toEqual([
      expect.stringContaining(words),
    ]);
  });
});
