/** What a deployment says about flows: those that no engine can follow, and what nothing leads to. */
import { expect, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { readModel } from "../../../src/processes/bpmn/readModel.ts";
import { boundaryTimer, conditionalFlow, end, flow, model, start, userTask } from "../../support/bpmn.ts";

const gateway = (kind: string, id: string, attributes = "") => `<${kind}Gateway id="${id}" ${attributes}/>`;
const subProcess = (id: string, ...parts: string[]) =>
  `<subProcess id="${id}">\n${parts.join("\n")}\n</subProcess>`;

interface Findings {
  readonly faults: string[];
  readonly warnings: readonly string[];
}

async function findingsIn(xml: string): Promise<Findings> {
  const read = await readModel(xml);
  if ("model" in read) return { faults: [], warnings: read.model.warnings };
  return {
    faults: read.faults.map(({ line, element, detail }) => `${line} ${element}: ${detail}`),
    warnings: [],
  };
}

const findings = (...parts: string[]) => findingsIn(model("flows", [start(), ...parts].join("\n")));
const fixture = async (name: string) =>
  findingsIn(
    await Bun.file(fileURLToPath(new URL(`../../fixtures/bpmn/${name}.bpmn`, import.meta.url))).text(),
  );

test.each([
  ["c02c_default_with_condition", "4 o1: The default flow of a gateway cannot have a condition. Remove it."],
  ["e04_gateway_no_out", "4 g: This exclusive gateway has no outgoing flow. Add one, or use an end event."],
  ["gateway_no_out", "4 g: This exclusive gateway has no outgoing flow. Add one, or use an end event."],
  [
    "e05_flow_into_subprocess",
    '5 f426: This flow crosses the border of a sub-process: "U" is not in the same process or sub-process as the flow. ' +
      "Let the flow lead to the sub-process itself, or from it.",
  ],
  [
    "flow_into_boundary",
    "5 f31: A flow cannot lead to a boundary event. Let it lead to the element after the event.",
  ],
])("%s is refused by its line and id", async (name, fault) => {
  expect(await fixture(name)).toEqual({ faults: [fault], warnings: [] });
});

test("a flow out of a sub-process, and one between two of them, are refused", async () => {
  const inner = (id: string, ...more: string[]) =>
    subProcess(id, start(`${id}_in`), userTask(`${id}_task`), flow(`${id}_in`, `${id}_task`), ...more);
  const parts = [
    inner("one", flow("one_task", "end")),
    inner("two"),
    end(),
    flow("start", "one", "two", "end"),
  ];
  const { faults } = await findings(...parts, flow("one_task", "two_task"));
  expect(faults.map((fault) => fault.replace(/ is not in .*/, ""))).toEqual([
    '9 one_task_end: This flow crosses the border of a sub-process: "end"',
    '20 one_task_two_task: This flow crosses the border of a sub-process: "one_task"',
    '20 one_task_two_task: This flow crosses the border of a sub-process: "two_task"',
  ]);
});

test("the same flows are allowed at other gateways and tasks", async () => {
  const ends = [userTask("a"), userTask("b"), end(), flow("a", "end"), flow("b", "end")];
  for (const element of [gateway("inclusive", "x", 'default="x_a"'), userTask("x", 'default="x_a"')]) {
    const flows = [conditionalFlow("x", "a", "${n > 1}"), conditionalFlow("x", "b", "${n > 2}")];
    expect(await findings(element, ...ends, flow("start", "x"), ...flows)).toEqual({
      faults: [],
      warnings: [],
    });
  }
  const single = [gateway("inclusive", "x"), conditionalFlow("x", "end", "${n > 1}"), end()];
  expect(await findings(flow("start", "x"), ...single)).toEqual({ faults: [], warnings: [] });
  expect(await findings(gateway("parallel", "x"), flow("start", "x"))).toEqual({ faults: [], warnings: [] });
});

const never = "No path leads to this element, so it never runs. Connect it, or remove it.";

test.each([
  [
    "c08g_xor_single_flow_cond_false",
    ['Line 4, "f122": Operaton and Camunda 7 refuse a condition on the only flow out of a gateway.'],
  ],
  ["g01_orphan_service", [`Line 5, "Orphan": ${never}`]],
  ["g02_orphan_user", [`Line 5, "Orphan": ${never}`]],
  ["g03_orphan_throw_to_user", [`Line 5, "t": ${never}`]],
  ["g04_orphan_task_to_service", [`Line 5, "T0": ${never}`, `Line 5, "A": ${never}`]],
  ["g05_orphan_timer", [`Line 5, "T0": ${never}`, `Line 5, "A": ${never}`]],
  ["g06_orphan_gateway", [`Line 5, "p": ${never}`, `Line 5, "A": ${never}`]],
  ["g07_orphan_subprocess", [`Line 5, "SP": ${never}`]],
  ["g08_orphan_in_sub", [`Line 5, "Orphan": ${never}`]],
  ["g09_orphan_end_terminate", [`Line 5, "te": ${never}`]],
  ["g10_flow_with_removed_condition_source", [`Line 4, "A": ${never}`]],
  ["unreachable_cycle", [`Line 4, "A": ${never}`, `Line 4, "Bx": ${never}`]],
  [
    "flow_out_of_end",
    [`Line 4, "U": ${never}`, 'Line 5, "f27": A path ends at its end event, so nothing takes this flow.'],
  ],
])("%s is deployed with a warning", async (name, warnings) => {
  const found = await fixture(name);
  expect(found.faults).toEqual([]);
  expect(found.warnings.toSorted()).toEqual(warnings.toSorted());
});

test("what a boundary event leads to is reached, and a flow back to the start event is allowed", async () => {
  const parts = [userTask("a"), boundaryTimer("late", "a", { after: "PT1H" }), userTask("b"), end()];
  expect(await findings(...parts, flow("start", "a", "end"), flow("late", "b", "start"))).toEqual({
    faults: [],
    warnings: [],
  });
});

test("a join that waits for a flow which nothing takes is a warning", async () => {
  const parts = [userTask("a"), userTask("lonely"), gateway("parallel", "join"), end()];
  const { warnings } = await findings(...parts, flow("start", "a", "join", "end"), flow("lonely", "join"));
  expect(warnings).toEqual([
    `Line 6, "lonely": ${never}`,
    'Line 12, "lonely_join": Nothing takes this flow, so the parallel gateway "join" waits for it without end.',
  ]);
});
