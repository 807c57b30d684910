/** The checks find planted breaches. Without this, a trial that finds nothing would say little. */
import { expect, test } from "bun:test";
import type { Entry } from "../history.ts";
import type { Received } from "../parts/receiver.ts";
import { checkAnswers } from "./answers.ts";
import { lateAttempts } from "./processes.ts";
import { misplacedRows, wrongNotes } from "./rows.ts";
import { checkTrails } from "./trails.ts";

const entry = (given: Partial<Entry>): Entry => ({
  operation: "insertRows",
  tenant: 1,
  startedAt: 1_000,
  endedAt: 1_010,
  outcome: "acknowledged",
  by: "waybill",
  status: 201,
  code: "",
  requestId: "r",
  retryAfter: "",
  deserved: false,
  ...given,
});

const fault = (kind: string) => ({ kind, target: "", startedAt: 0, endedAt: 60_000, findings: [] });
const faults = ["process restarted", "tenant crowds the others for 15 s", "storage paused for 18 s"].map(
  fault,
);

const broken = async (entries: readonly Entry[]) =>
  (await checkAnswers(entries, faults)).filter(({ breaches }) => breaches.length > 0).map(({ rule }) => rule);

const refused = { outcome: "refused", status: 400 } as const;
const failed = { outcome: "unknown", status: 503, code: "busy", retryAfter: "1" } as const;

test("answers: each rule finds what it forbids, and nothing else", async () => {
  expect(await broken([entry({})])).toEqual([]);
  expect(await broken([entry({ ...refused, code: "unknown_column", deserved: true })])).toEqual([]);
  expect(await broken([entry({ ...refused, code: "bad_request" })])).toEqual([
    "an outage is never answered with a 4xx that the request does not deserve",
    "a tenant with many slow requests does not disturb other tenants or health checks",
  ]);
  expect(await broken([entry({ ...failed, status: 500, tenant: 90 })])).toEqual([
    "no request is answered with 500",
  ]);
  expect(await broken([entry({ ...failed, tenant: 90 })])).toEqual([]);
  expect(await broken([entry({ ...failed, retryAfter: "", tenant: 90 })])).toEqual([
    "every 503 says when to try again",
  ]);
  const unanswered = { outcome: "unknown", by: "nobody", status: 0, tenant: 90 } as const;
  expect(await broken([entry({ ...unanswered, code: "TimeoutError" })])).toEqual([
    "every request is answered within 45 s",
    "a restart by SIGTERM refuses and breaks no connection",
  ]);
  expect(await broken([entry({ ...failed, by: "proxy", status: 502, tenant: 90 })])).toEqual([
    "a restart by SIGTERM refuses and breaks no connection",
  ]);
  expect(await broken([entry({ operation: "uploadAttachment", endedAt: 14_000 })])).toEqual([
    "an upload waits at most 12 s for a storage that hangs",
  ]);
});

test("answers: requests after a fault break no rule about it", async () => {
  const later = { startedAt: 61_000, endedAt: 62_000 };
  expect(await broken([entry({ ...failed, ...later, by: "proxy" })])).toEqual([]);
});

test("answers: breaches that come from the fault before or after do not count", async () => {
  const brokenLater = { startedAt: 59_900, endedAt: 60_300 };
  expect(await broken([entry({ ...failed, ...brokenLater, by: "proxy" })])).toEqual([]);
  const upload = { operation: "uploadAttachment" };
  expect(await broken([entry({ ...upload, startedAt: -20_000, endedAt: 500 })])).toEqual([]);
  expect(await broken([entry({ ...upload, startedAt: 59_000, endedAt: 80_000 })])).toEqual([]);
});

test("rows: lost, doubled, partly written, written though refused, or written by nobody", () => {
  const batch = (outcome: Entry["outcome"]) => ({ tenant: 1, entries: ["a", "b"], outcome, requestId: "r" });
  const found = (outcome: Entry["outcome"], present: Record<string, number>) =>
    misplacedRows({ batches: [batch(outcome)] }, new Map(Object.entries(present))).length;
  expect(found("acknowledged", { a: 1, b: 1 })).toBe(0);
  expect(found("acknowledged", { a: 1 })).toBe(1);
  expect(found("acknowledged", { a: 1, b: 2 })).toBe(1);
  expect(found("unknown", { a: 1, b: 1 })).toBe(0);
  expect(found("unknown", {})).toBe(0);
  expect(found("unknown", { a: 1 })).toBe(1);
  expect(found("unknown", { a: 2, b: 2 })).toBe(1);
  expect(found("refused", {})).toBe(0);
  expect(found("refused", { a: 1, b: 1 })).toBe(1);
  expect(found("acknowledged", { a: 1, b: 1, c: 1 })).toBe(1);
});

test("notes: a lost change, a doubled row, or a deleted row that is back", () => {
  const found = (possible: (number | "absent")[], states: number[]) =>
    wrongNotes([{ tenant: 1, name: "n", possible }], new Map(states.length > 0 ? [["n", states]] : []))
      .length;
  expect(found([2], [2])).toBe(0);
  expect(found([2], [1])).toBe(1);
  expect(found([2], [])).toBe(1);
  expect(found([2], [2, 2])).toBe(1);
  expect(found(["absent"], [2])).toBe(1);
  expect(found([1, "absent"], [])).toBe(0);
});

test("service tasks: an attempt that arrives after a later one", () => {
  const at = (task: string, attempt: number): Received => ({
    ...{ key: `${task}:${attempt}`, task, attempt },
    ...{ at: 0, booked: true, how: "answers" },
  });
  expect(lateAttempts([at("i:a", 1), at("i:b", 2), at("i:b", 3), at("i:a", 2)])).toEqual([]);
  expect(lateAttempts([at("i:a", 2), at("i:a", 1)])).toEqual(["i:a: 1 after 2, booked again"]);
});

test("audit trails: a record that was changed, and a command that failed", async () => {
  const breaches = async (code: number) =>
    (await checkTrails(async () => ({ code, output: "record 1 was changed" }))).breaches.length;
  expect(await Promise.all([0, 1, 2].map(breaches))).toEqual([0, 1, 1]);
});
