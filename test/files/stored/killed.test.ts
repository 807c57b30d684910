/** Server processes that end by SIGKILL in the middle of messages and general uploads. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import {
  Configuration,
  DiscussionsApi,
  IntegrationApi,
  type Message,
} from "../../../sdk/src/generated/index.ts";
import { reconcile } from "../../../src/files/maintenance/reconcile.ts";
import { sweepOnce } from "../../../src/files/maintenance/sweep.ts";
import { fixture, fixtureBytes, freshUser } from "../../support/attachments.ts";
import { type Discussion, discussionOn, storedRemains } from "../../support/messages.ts";
import { startWaybill } from "../../support/waybillProcess.ts";
import { type Instances, sharedSecret, startInstances } from "../attachments/instances.ts";

setDefaultTimeout(120_000);
let instances: Instances;
beforeAll(async () => {
  instances = await startInstances();
});
afterAll(() => instances.stop());

const png = await fixture("pillow.png");
const xActiveTenant = "tenant-1";
const rounds = 8;

interface Promised {
  readonly messages: string[];
  readonly paths: string[];
}

/** One client: posts and uploads, as a user of its own each time, until the server is gone. */
async function work(url: string, discussion: string, promised: Promised): Promise<void> {
  for (;;) {
    const accessToken = await instances.servers[0].token({ user: freshUser() });
    const configuration = new Configuration({ basePath: url, accessToken });
    const message = { processInstanceId: discussion, xActiveTenant, file: [png, png, png] };
    const posted = await new DiscussionsApi(configuration).postMessage(message).catch(() => undefined);
    if (!posted) return;
    promised.messages.push(posted.message_id);
    const file = { xActiveTenant, file: png };
    const uploaded = await new IntegrationApi(configuration).uploadFile(file).catch(() => undefined);
    if (!uploaded) return;
    promised.paths.push(uploaded.path);
  }
}

async function allMessages(discussion: Discussion): Promise<Message[]> {
  const all: Message[] = [];
  for (let page = 0; ; page++) {
    const { messages } = await discussion.list({}, { page, limit: 500 });
    if (messages.length === 0) return all;
    all.push(...messages);
  }
}

test("nothing that was promised is lost, and nothing else stays, after many a kill", async () => {
  const { sql, dataDir, servers } = instances;
  const [server] = servers;
  const discussion = discussionOn(server);
  const promised: Promised = { messages: [], paths: [] };
  for (let round = 0; round < rounds; round++) {
    const environment = { DATABASE_URL: server.database.url, DATA_DIR: dataDir, JWT_SECRET: sharedSecret };
    const waybill = startWaybill({ cwd: dataDir, environment });
    const url = await waybill.listening;
    const clients = Array.from({ length: 3 }, () => work(url, discussion.id, promised));
    await Bun.sleep(100 + Math.random() * 600);
    waybill.kill("SIGKILL");
    await Promise.all([waybill.exited, ...clients]);
  }
  expect(promised.messages.length).toBeGreaterThan(rounds);

  // What a kill leaves behind is taken for abandoned after an hour.
  await sql`update waybill.stored_files set state_since = state_since - interval '2 hours' where state <> 'stored'`;
  await sweepOnce(server.deps);
  expect(await Array.fromAsync(reconcile(server.deps, { repair: false }))).toEqual([]);
  const { rows, objects } = await storedRemains(server);
  expect(objects).toBe(rows ?? 0);

  const messages = await allMessages(discussion);
  const ids = messages.map(({ message_id }) => message_id);
  expect(ids).toEqual(expect.arrayContaining(promised.messages));
  for (const { attachments } of messages) expect(attachments).toHaveLength(3);
  const bytes = await fixtureBytes("pillow.png");
  for (const { message_id, attachments } of messages.slice(-20))
    for (const { attachment_id } of attachments) {
      const response = await discussion.download({}, message_id, attachment_id);
      expect(await response.bytes()).toEqual(bytes);
    }
  for (const path of promised.paths) {
    const response = await server.request(path, { headers: { "x-active-tenant": xActiveTenant } });
    expect(await response.bytes()).toEqual(bytes);
  }
});
