import { expect, test } from "bun:test";
import { loadModel, readModel } from "../../../src/processEngine/model/readModel.ts";
import { end, flow, model, start, userTask } from "../../support/bpmn.ts";

/** A line of user tasks, with as many more flows from one to a later one. */
function large(tasks: number, more: number): string {
  const ids = Array.from({ length: tasks }, (_, index) => `t${index}`);
  const extra = Array.from({ length: more }, (_, index) =>
    flow(`t${index % (tasks - 1)}`, `t${(index % (tasks - 1)) + 1}`).replace(
      / id="[^"]*"/,
      ` id="x${index}"`,
    ),
  );
  return model(
    "large",
    [start(), ...ids.map((id) => userTask(id)), end(), flow("start", ...ids, "end"), ...extra].join("\n"),
  );
}

test("the largest model is read", async () => {
  expect(await readModel(large(900, 3_000))).toMatchObject({ model: { processKey: "large" } });
});

test.each([
  ["elements", large(1_000, 0)],
  ["flows", large(900, 3_200)],
])("a model with too many %s is refused", async (_, xml) => {
  const read = await readModel(xml);
  expect("faults" in read && read.faults.map(({ detail }) => detail)).toEqual([
    "The process has more than 1000 elements, or 4000 flows.",
  ]);
});

test("a model that was deployed is loaded, although it would be refused today", async () => {
  const script = '<scriptTask id="a" scriptFormat="js"><script>1</script></scriptTask>';
  const xml = model("old", [start(), script, end(), flow("start", "a", "end")].join("\n"));
  expect(await readModel(xml)).toHaveProperty("faults");
  expect(await loadModel(xml)).toMatchObject({ processKey: "old" });
});
