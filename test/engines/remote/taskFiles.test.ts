/** Files of many service tasks at once: they are bound together, and the engine is asked for little. */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { freshUser, upload } from "../../support/attachments.ts";
import { apiCall, end, flow, model, start } from "../../support/bpmn.ts";
import { freshKey } from "../../support/processes.ts";
import { until } from "../../support/until.ts";
import { type EngineProxy, startEngineProxy } from "./engineProxy.ts";
import { type Remote, startRemote, type TestWorker } from "./remote.ts";

setDefaultTimeout(120_000);
let remote: Remote;
let proxy: EngineProxy;
let worker: TestWorker | undefined;
/** Calls before the present worker. */
let from = 0;
beforeAll(async () => {
  remote = await startRemote();
  remote.answer = (_, response) => void response.end();
  proxy = startEngineProxy();
});
afterEach(async () => {
  await worker?.stop();
  worker = undefined;
});
afterAll(async () => {
  await proxy.stop();
  await remote.stop();
});

const draft = () => upload(remote.server, { by: { ...remote.member, user: freshUser() } });
type Metadata = Awaited<ReturnType<typeof draft>>;

async function deployCall(path: string): Promise<string> {
  const processKey = freshKey("worker_files");
  const call = apiCall("call", { method: "POST", url: remote.partnerUrl + path, body: '"${card}"' });
  await remote.deploy(model(processKey, [start(), call, end(), flow("start", "call", "end")].join("\n")));
  return processKey;
}

const startWith = (processKey: string, metadata: Metadata) =>
  remote.start(processKey, { card: { type: "String", value: JSON.stringify(metadata) } });

/** From now on, all calls to the engine go through the proxy. */
async function work(): Promise<void> {
  from = proxy.calls.length;
  worker = await remote.work({ url: proxy.url });
}

const rootQuestions = () =>
  proxy.calls.slice(from).filter((call) => call.endsWith("/history/process-instance")).length;

const instanceOf = async ({ attachment_id }: Metadata) =>
  (
    await remote.server.sql<{ id: string | null }[]>`
      select process_instance_id as id
      from waybill.attachments
      where id = ${attachment_id}
        and state = 'committed'`
  )[0]?.id;

test("forty tasks bind and send a file each, and their roots are asked for together", async () => {
  const processKey = await deployCall("/forty");
  const files = await Promise.all(Array.from({ length: 40 }, draft));
  const ids = await Promise.all(files.map((each) => startWith(processKey, each)));
  await work();
  for (const id of ids) await until(() => remote.isEnded(id), 60);
  expect(rootQuestions()).toBeWithin(1, 10);
  expect(await Promise.all(files.map(instanceOf))).toEqual(ids);
  const sent = remote.partner.received.filter(({ url }) => url === "/forty");
  const sentIds = sent.map(({ body }) => /form-attachments\/([^/]+)/.exec(body)?.[1] ?? "");
  expect(sentIds.toSorted()).toEqual(files.map(({ attachment_id }) => attachment_id).toSorted());
});

test("a file that two tasks name at the same time goes to one of them", async () => {
  const processKey = await deployCall("/same");
  const card = await draft();
  const ids = await Promise.all([startWith(processKey, card), startWith(processKey, card)]);
  await work();
  const isSettled = async (id: string) =>
    (await remote.isEnded(id)) || (await remote.incidents(id)).length > 0;
  for (const id of ids) await until(() => isSettled(id), 30);
  const ended = await Promise.all(ids.map((id) => remote.isEnded(id)));
  expect(ended.filter(Boolean)).toHaveLength(1);
  expect(await instanceOf(card)).toBe(ids[ended.indexOf(true)] as string);
  expect(remote.keys("/same")).toHaveLength(1);
});

test("the engine is not asked for the root of a task whose file is bound to its instance", async () => {
  const processKey = await deployCall("/bound");
  const card = await draft();
  const id = await startWith(processKey, card);
  await remote.server.sql`
    update waybill.attachments
       set state = 'committed', process_instance_id = ${id}
     where id = ${card.attachment_id}`;
  await work();
  await until(() => remote.isEnded(id), 30);
  expect(rootQuestions()).toBe(0);
  expect(remote.keys("/bound")).toHaveLength(1);
});
