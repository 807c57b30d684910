/** Where a model catches a BPMN error: as the engine looks for it. */
import { expect, test } from "bun:test";
import { catches, readCatches } from "../../../../src/processes/engines/operaton/serviceTasks/catchesWork.ts";
import { apiCall, boundaryError, model, start } from "../../../support/bpmn.ts";

const call = apiCall("call", { method: "GET", url: "https://example.org" });
const anyError = (id: string, at: string) =>
  `<boundaryEvent id="${id}" attachedToRef="${at}"><errorEventDefinition id="${id}_d"/></boundaryEvent>`;
const eventSubProcess = (id: string, inside = "") =>
  `<subProcess id="${id}" triggeredByEvent="true"><startEvent id="${id}_s"><errorEventDefinition id="${id}_d"/></startEvent>${inside}</subProcess>`;
const sub = (id: string, inside: string) => `<subProcess id="${id}">${inside}</subProcess>`;

const isCaught = async (body: string, beside = "", processKey = "p") =>
  catches(await readCatches({ bpmn: model("p", body, beside), processKey }), "call", "INTEGRATION_REJECTED");

test("an event with the code, or for every error, catches at the task and at each scope around it", async () => {
  const own = boundaryError("b", "call");
  expect(await isCaught(call + own.event, own.error)).toBe(true);
  expect(await isCaught(call + anyError("b", "call"))).toBe(true);
  expect(await isCaught(sub("one", sub("two", call)) + anyError("b", "one"))).toBe(true);
  expect(await isCaught(sub("one", call + eventSubProcess("es")))).toBe(true);
  expect(await isCaught(sub("one", call) + eventSubProcess("es"))).toBe(true);
});

test("another code, another activity and an event sub-process around the task itself do not", async () => {
  const other = boundaryError("b", "call", "OTHER");
  expect(await isCaught(call)).toBe(false);
  expect(await isCaught(call + other.event, other.error)).toBe(false);
  expect(await isCaught(`${call}<task id="next"/>${anyError("b", "next")}`)).toBe(false);
  expect(await isCaught(eventSubProcess("es", call))).toBe(false);
  expect(await isCaught(start() + sub("one", eventSubProcess("es", start("x"))) + call)).toBe(false);
  expect(await isCaught(call + anyError("b", "call"), "", "another")).toBe(false);
});

test("a model with many scopes and events is read in a time in proportion to its size", async () => {
  const body = Array.from({ length: 2_000 }, (_, at) => eventSubProcess(`es${at}`)).join("");
  const began = performance.now();
  const read = await readCatches({ bpmn: model("p", body + call), processKey: "p" });
  expect(catches(read, "call", "X")).toBe(true);
  expect(performance.now() - began).toBeLessThan(5_000);
});
