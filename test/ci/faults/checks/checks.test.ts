/** The checks find what is planted: a trial in which nothing is found says little without these. */
import { expect, test } from "bun:test";
import type { Entry } from "../history.ts";
import type { Received } from "../parts/receiver.ts";
import { checkAnswers } from "./answers.ts";
import { lateAttempts } from "./processes.ts";
import { misplacedRows, wrongNotes } from "./rows.ts";

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
const faults = ["process restarted", "tenant takes all for 15 s", "storage paused for 18 s"].map(fault);

const broken = async (entries: readonly Entry[]) =>
  (await checkAnswers(entries, faults)).filter(({ breaches }) => breaches.length > 0).map(({ rule }) => rule);

const refused = { outcome: "refused", status: 400 } as const;
const failed = { outcome: "unknown", status: 503, code: "busy", retryAfter: "1" } as const;

test("answers: each rule is broken by what it forbids, and by nothing else", async () => {
  expect(await broken([entry({})])).toEqual([]);
  expect(await broken([entry({ ...refused, code: "unknown_column", deserved: true })])).toEqual([]);
  expect(await broken([entry({ ...refused, code: "bad_request" })])).toEqual([
    "an outage is answered with no 4xx that the request does not call for",
    "a tenant that takes all leaves the others and the health checks alone",
  ]);
  expect(await broken([entry({ ...failed, status: 500, tenant: 90 })])).toEqual([
    "no request is answered with 500",
  ]);
  expect(await broken([entry({ ...failed, tenant: 90 })])).toEqual([]);
  expect(await broken([entry({ ...failed, retryAfter: "", tenant: 90 })])).toEqual([
    "every 503 says when to come again",
  ]);
  const unanswered = { outcome: "unknown", by: "nobody", status: 0, tenant: 90 } as const;
  expect(await broken([entry({ ...unanswered, code: "TimeoutError" })])).toEqual([
    "every request is answered within 45 s",
    "a restart by SIGTERM refuses no connection and breaks none",
  ]);
  expect(await broken([entry({ ...failed, by: "proxy", status: 502, tenant: 90 })])).toEqual([
    "a restart by SIGTERM refuses no connection and breaks none",
  ]);
  expect(await broken([entry({ operation: "uploadAttachment", endedAt: 14_000 })])).toEqual([
    "an upload waits for a storage that hangs for 12 s at most",
  ]);
});

test("answers outside of a fault break no rule about it", async () => {
  const later = { startedAt: 61_000, endedAt: 62_000 };
  expect(await broken([entry({ ...failed, ...later, by: "proxy" })])).toEqual([]);
});

test("answers: what the fault before or after it broke is not its doing", async () => {
  const brokenLater = { startedAt: 59_900, endedAt: 60_300 };
  expect(await broken([entry({ ...failed, ...brokenLater, by: "proxy" })])).toEqual([]);
  const upload = { operation: "uploadAttachment" };
  expect(await broken([entry({ ...upload, startedAt: -20_000, endedAt: 500 })])).toEqual([]);
  expect(await broken([entry({ ...upload, startedAt: 59_000, endedAt: 80_000 })])).toEqual([]);
});

test("rows: one that is lost, doubled, torn, refused and there, or nobody's", () => {
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

test("notes: one that is as it was before its last change, doubled, or back", () => {
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

test("service tasks: an attempt after a later one of its task", () => {
  const at = (task: string, attempt: number): Received => ({
    ...{ key: `${task}:${attempt}`, task, attempt },
    ...{ at: 0, booked: true, how: "answers" },
  });
  expect(lateAttempts([at("i:a", 1), at("i:b", 2), at("i:b", 3), at("i:a", 2)])).toEqual([]);
  expect(lateAttempts([at("i:a", 2), at("i:a", 1)])).toEqual(["i:a: 1 after 2, booked again"]);
});
