/** What Waybill reads of a model before it goes to an engine beside it. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readTasks } from "../../../../src/processes/delivery/dryRunWork.ts";
import {
  readModel,
  withHistoryTime,
  withoutHistoryTime,
} from "../../../../src/processes/engines/operaton/readModel.ts";
import { apiCall, end, flow, model, oneCall, start, userTask } from "../../../support/bpmn.ts";

const call = { method: "POST", url: "https://core.example/loans" };
const faultsOf = (xml: string) => readModel(xml).faults;

test("a good model has its process and its forms, and no fault", () => {
  const ref = 'camunda:formRef="apply" camunda:formRefBinding="latest"';
  const tasks = [
    start("start", ref),
    userTask("review", 'camunda:formRef="${which}"'),
    apiCall("call", call),
  ];
  const read = readModel(model("loan", [...tasks, end(), flow("start", "review", "call", "end")].join("\n")));
  expect(read.processes).toMatchObject([{ key: "loan", name: "Process loan" }]);
  expect(read.formRefs).toEqual(new Set(["apply"]));
  expect(read.faults).toEqual([]);
});

describe("what is not Waybill's is left to the engine", () => {
  test.each([
    '<serviceTask id="a" camunda:type="external" camunda:topic="theirs"/>',
    '<serviceTask id="a" camunda:type="external" camunda:topic="${topic}"/>',
    '<serviceTask id="a" camunda:delegateExpression="${bean}"/>',
    '<serviceTask id="a" camunda:topic="api-call"/>',
    '<x:serviceTask xmlns:x="urn:other" id="a" type="external" topic="api-call"/>',
    '<userTask id="a"/><userTask id="a"/>',
    '<extensionElements><camunda:properties><camunda:property name="method" value="X"/></camunda:properties></extensionElements>',
    "<unknown/>",
  ])("%s", (elements) => {
    expect(faultsOf(model("theirs", elements))).toEqual([]);
  });
});

test("properties count for the element around them alone", () => {
  const nested = `<subProcess id="sub">${apiCall("inner", { ...call, timeout_seconds: "x" })}</subProcess>`;
  expect(faultsOf(model("nested", `${nested}${apiCall("outer", call)}`))).toEqual([
    expect.stringContaining('"inner": "timeout_seconds"'),
  ]);
});

test("a deployment and a dry run read the same service tasks, and find the same faults in them", () => {
  const name = fc.constantFrom("method", "url", "body", "bogus", "");
  const properties = fc.array(fc.tuple(name, fc.constantFrom("POST", "https://core.example", "", "${")), {
    maxLength: 5,
  });
  const element = fc.constantFrom("serviceTask", "sendTask", "businessRuleTask", "x:serviceTask");
  const prefix = fc.constantFrom("camunda", "operaton");
  const task = fc.tuple(element, prefix, properties).map(([tag, of, list]) => {
    const inside = list
      .map(([name, value]) => `<${of}:property name="${name}" value="${value}"/>`)
      .join("\n");
    return `<${tag} id="t" ${of}:type="external" ${of}:topic="api-call"><extensionElements><${of}:properties>
${inside}</${of}:properties></extensionElements></${tag}>`;
  });
  const spaces = 'xmlns:x="urn:x" xmlns:operaton="http://operaton.org/schema/1.0/bpmn" id="sub"';
  fc.assert(
    fc.property(fc.array(task, { maxLength: 4 }), (tasks) => {
      const xml = model("both", `<subProcess ${spaces}>${tasks.join("\n")}</subProcess>`);
      const tried = readTasks(xml).tasks.flatMap(({ line, activityId, faults }) =>
        faults.map((fault) => `Line ${line}, "${activityId}": ${fault}`),
      );
      expect(faultsOf(xml)).toEqual(tried);
      expect(readTasks(xml).count).toBe(tasks.filter((text) => !text.startsWith("<x:")).length);
    }),
  );
});

test("a property that is there twice is a fault", () => {
  const twice = apiCall("call", call).replace(/<camunda:property name="method"[^>]*>/, "$&$&");
  expect(faultsOf(model("twice", twice))).toEqual([
    expect.stringMatching(/^Line \d+, "call": The property "method" is there twice\.$/),
  ]);
});

test.each([
  ["", /not well-formed/],
  ["<a>", /^Line 1: The XML is not well-formed/],
  ["<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>", /document type/],
  ["<a>".repeat(300), /nested deeper than 200 levels/],
  [`<a>${"<b/>".repeat(100_001)}</a>`, /more than 100000 elements/],
])("%p… is one fault", (xml, fault) => {
  expect(faultsOf(xml)).toEqual([expect.stringMatching(fault)]);
});

test("a time for the history is written into executable processes without one, and taken out again", () => {
  const plain = oneCall("plain", call);
  const given = withHistoryTime(plain, readModel(plain).processes);
  expect(given).toContain('waybill:historyTimeToLive="P180D">');
  expect(readModel(given)).toMatchObject({ faults: [], processes: [{ key: "plain", historyAt: undefined }] });
  expect(withoutHistoryTime(given)).toBe(plain);
  const own = plain.replace("isExecutable", 'camunda:historyTimeToLive="5" isExecutable');
  expect(withHistoryTime(own, readModel(own).processes)).toBe(own);
});

test("the place of the time is found whatever stands before it", () => {
  const text = fc.stringMatching(/^[ -%'-;=?-~ä€\u{1F600}\r\n\t]*$/u);
  fc.assert(
    fc.property(text, fc.boolean(), (comment, closes) => {
      const body = closes ? "/>" : "><startEvent id='s'/></process>";
      const safe = comment.replaceAll("-", "_");
      const xml = `<!--${safe}--><definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" name="${comment.replaceAll('"', "")}">
<process id="p" isExecutable="true" ${body}</definitions>`;
      const read = readModel(xml);
      expect(read.faults).toEqual([]);
      const given = withHistoryTime(xml, read.processes);
      expect(readModel(given)).toMatchObject({ faults: [], processes: [{ historyAt: undefined }] });
      expect(withoutHistoryTime(given)).toBe(xml);
    }),
  );
});

test("any text is read without an exception, in linear time", () => {
  const piece = fc.constantFrom(
    "<",
    ">",
    "/",
    "process",
    ' id="',
    '"',
    "&",
    "<!--",
    "-->",
    "<a>",
    "</a>",
    "]]>",
    "\0",
    "é",
  );
  fc.assert(fc.property(fc.array(piece), (pieces) => void readModel(pieces.join(""))));
  const large = (count: number) => model("large", apiCall("call", call).repeat(count));
  const time = (xml: string) => {
    const began = performance.now();
    readModel(xml);
    return performance.now() - began;
  };
  time(large(500));
  expect(time(large(4_000))).toBeLessThan(50 * Math.max(2, time(large(400))));
});
