/**
 * src/processes/bpmn/replacedElements.ts and the files that it exports override and call private methods of
 * bpmn-elements. When a test here fails, the library has changed: read the new source of the method, adapt the class that uses it, and run the tests of this
 * folder before you write the new version into the file's head and the new digest below.
 */
import { expect, test } from "bun:test";
import { fileURLToPath } from "node:url";

const library = new URL(".", import.meta.resolve("bpmn-elements"));

test("the replaced elements are written for the version that is installed", async () => {
  const { version } = await Bun.file(fileURLToPath(new URL("../package.json", library))).json();
  const file = new URL("../../../src/processes/bpmn/replacedElements.ts", import.meta.url);
  expect(await Bun.file(file).text()).toContain(`bpmn-elements ${version},`);
});

/** Methods that are overridden or called, and those of the library that call the overridden ones. */
const methods: [path: string, method: string, digest: string][] = [
  ["eventDefinitions/TimerEventDefinition.js", "TimerEventDefinition.prototype.parse", "77caa680ea3b7ace"],
  [
    "eventDefinitions/TimerEventDefinition.js",
    "TimerEventDefinition.prototype._getTimers",
    "f9385f0bea4072fb",
  ],
  ["eventDefinitions/TimerEventDefinition.js", "TimerEventDefinition.prototype.execute", "de08841f16ae403a"],
  ["eventDefinitions/ErrorEventDefinition.js", "ErrorEventDefinition", "6cca88017817c84c"],
  [
    "eventDefinitions/ErrorEventDefinition.js",
    "ErrorEventDefinition.prototype._onErrorMessage",
    "97bc1fcc7a65509e",
  ],
  [
    "eventDefinitions/ErrorEventDefinition.js",
    "ErrorEventDefinition.prototype._onThrowApiMessage",
    "ebaadac5a93df6cf",
  ],
  [
    "eventDefinitions/ErrorEventDefinition.js",
    "ErrorEventDefinition.prototype.executeCatch",
    "1e88774f42b7eb39",
  ],
  ["gateways/ParallelGateway.js", "ParallelGateway", "8971ee2239df4ffb"],
  ["gateways/ParallelGateway.js", "ParallelGatewayBehaviour", "0efdecb2c01d7cd2"],
  ["activity/Activity.js", "Activity", "ffd0f69ffefafc8d"],
  ["activity/Activity.js", "Activity.prototype._onJoinInbound", "d172102158c1c9e8"],
  ["activity/Activity.js", "Activity.prototype._consumeInbound", "41499c753ae0739b"],
  ["activity/Activity.js", "Activity.prototype.run", "cd336cb154842915"],
  ["process/ProcessExecution.js", "ProcessExecution.prototype._onChildMessage", "fb46b7ace08e629b"],
  ["activity/Activity.js", "Activity.prototype.activate", "2b9b6266db7b69d9"],
  ["activity/Activity.js", "Activity.prototype.resume", "1ae5a81d99589eeb"],
  ["activity/Activity.js", "Activity.prototype.getState", "b4c3adefb2eb828b"],
  ["activity/Activity.js", "Activity.prototype._onInbound", "0d94ee7453261175"],
  ["activity/Activity.js", "Activity.prototype._onInboundEvent", "532d277c2d8ae185"],
  ["activity/Activity.js", "Activity.prototype._doOutbound", "d944c92827f81def"],
  ["process/ProcessExecution.js", "ProcessExecution", "124e2fa6cadf30cd"],
  ["process/ProcessExecution.js", "ProcessExecution.prototype._activate", "61240bb21ded6942"],
  ["process/ProcessExecution.js", "ProcessExecution.prototype._start", "1086e7a8c74b7b18"],
  ["process/ProcessExecution.js", "ProcessExecution.prototype.resume", "ddd369db561a2434"],
  ["process/ProcessExecution.js", "ProcessExecution.prototype.recover", "48a729efb47722a6"],
  ["process/ProcessExecution.js", "ProcessExecution.prototype.getState", "08e0736ac4f0431f"],
  ["tasks/SubProcess.js", "SubProcess", "eac06b255021cb9c"],
  ["tasks/SubProcess.js", "SubProcessBehaviour.prototype.recover", "ef6155f3d99909fc"],
  ["tasks/SubProcess.js", "SubProcessBehaviour.prototype._upsertExecution", "85059f9c320dfdce"],
  ["Context.js", "ContextInstance.prototype.getActivityById", "a1b4916014d0109c"],
  ["Context.js", "ContextInstance.prototype.upsertActivity", "98cc9b7dc10e8322"],
  ["Context.js", "ContextInstance.prototype.clone", "2b51930ea082956c"],
  ["flows/SequenceFlow.js", "SequenceFlow.prototype._publishEvent", "137d75a70ef52358"],
  ["flows/SequenceFlow.js", "SequenceFlow.prototype.discard", "9e9f181675c2bbd0"],
  ["flows/SequenceFlow.js", "SequenceFlow.prototype.shake", "9aa3f5336c28b55a"],
];

test.each(methods)("%s: %s is unchanged", async (path, method, digest) => {
  const source = await Bun.file(fileURLToPath(new URL(path, library))).text();
  expect(digestOf(sourceOf(source, method))).toBe(digest);
});

/** From the first line of a function to the closing brace at the beginning of a line. */
function sourceOf(source: string, method: string): string {
  const start = source.search(
    new RegExp(
      `^(?:export )?(?:default )?(?:function )?${RegExp.escape(method)}(?: = function \\w+)?\\(`,
      "m",
    ),
  );
  if (start === -1) throw new Error(`bpmn-elements has no ${method} any more`);
  return source.slice(start, source.indexOf("\n}", start));
}

const digestOf = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 16);
