/** Server processes that are killed (SIGKILL) during messages and general uploads. */
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
import { longerEach, startWaybill } from "../../support/waybillProcess.ts";
import { type Instances, sharedSecret, startInstances } from "../attachments/instances.ts";

setDefaultTimeout(300_000);
let instances: Instances;
beforeAll(async () => {
  instances = await startInstances();
});
afterAll(() => instances.stop());

const png = await fixture("pillow.png");
const xActiveTenant = "tenant-1";
const rounds = 8;

interface Acknowledged {
  readonly messages: string[];
  readonly paths: string[];
}

/** A client that posts and uploads, each time as a new user, until the server is gone. */
async function work(url: string, discussion: string, acknowledged: Acknowledged): Promise<void> {
  for (;;) {
    const accessToken = await instances.servers[0].token({ user: freshUser() });
    const configuration = new Configuration({ basePath: url, accessToken });
    const message = { processInstanceId: discussion, xActiveTenant, file: [png, png, png] };
    const posted = await new DiscussionsApi(configuration).postMessage(message).catch(() => undefined);
    if (!posted) return;
    acknowledged.messages.push(posted.message_id);
    const file = { xActiveTenant, file: png };
    const uploaded = await new IntegrationApi(configuration).uploadFile(file).catch(() => undefined);
    if (!uploaded) return;
    acknowledged.paths.push(uploaded.path);
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

test("after many kills, everything acknowledged is there and nothing else is left", async () => {
  const { sql, dataDir, servers } = instances;
  const [server] = servers;
  const discussion = discussionOn(server);
  const acknowledged: Acknowledged = { messages: [], paths: [] };
  // More and longer rounds where the machine is busy: each kill has to meet requests under way.
  for (let round = 0; round < rounds || acknowledged.messages.length <= rounds; round++) {
    const environment = { DATABASE_URL: server.database.url, DATA_DIR: dataDir, JWT_SECRET: sharedSecret };
    const waybill = startWaybill({ cwd: dataDir, environment });
    const url = await waybill.listening;
    const clients = Array.from({ length: 3 }, () => work(url, discussion.id, acknowledged));
    await Bun.sleep(100 + Math.random() * 600 * longerEach(round, rounds));
    waybill.kill("SIGKILL");
    await Promise.all([waybill.exited, ...clients]);
  }
  expect(acknowledged.messages.length).toBeGreaterThan(rounds);

  // What a kill leaves behind counts as abandoned after an hour.
  await sql`update waybill.stored_files set state_since = state_since - interval '2 hours' where state <> 'stored'`;
  await sweepOnce(server.deps);
  expect(await Array.fromAsync(reconcile(server.deps, { repair: false }))).toEqual([]);
  const { rows, objects } = await storedRemains(server);
  expect(objects).toBe(rows ?? 0);

  const messages = await allMessages(discussion);
  const ids = messages.map(({ message_id }) => message_id);
  expect(ids).toEqual(expect.arrayContaining(acknowledged.messages));
  for (const { attachments } of messages) expect(attachments).toHaveLength(3);
  const bytes = await fixtureBytes("pillow.png");
  for (const { message_id, attachments } of messages.slice(-20))
    for (const { attachment_id } of attachments) {
      const response = await discussion.download({}, message_id, attachment_id);
      expect(await response.bytes()).toEqual(bytes);
    }
  for (const path of acknowledged.paths) {
    const response = await server.request(path, { headers: { "x-active-tenant": xActiveTenant } });
    expect(await response.bytes()).toEqual(bytes);
  }
});
