/** A thousand instances at once, with a file each. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type Partner, startPartner } from "../infrastructure/outbound/partner.ts";
import { oneCall } from "../support/bpmn.ts";
import { allowLoopback, deploy, freshKey, startInstance } from "../support/processes.ts";
import { startServer, type TestServer } from "../support/server.ts";

setDefaultTimeout(180_000);
let server: TestServer;
let partner: Partner;
beforeAll(async () => {
  server = await startServer({ environment: allowLoopback });
  partner = await startPartner();
});
afterAll(async () => {
  await partner.stop();
  await server.stop();
});

test("a thousand instances started at once complete, each with a URL of its own", async () => {
  const key = freshKey();
  const url = `http://127.0.0.1:${partner.port}/`;
  await deploy(server, oneCall(key, { method: "POST", url, body: '{"card":"${card}"}' }));
  const count = 1_000;
  const drafts = await server.sql<{ id: string }[]>`
    insert into waybill.attachments (id, tenant_id, state, file_name, mime_type, size, sha256, process_key, field_name, uploader)
    select gen_random_uuid(), 1, 'draft', 'card.png', 'image/png', 1, sha256(i::text::bytea), ${key}, 'card', 'jane'
    from generate_series(1, ${count}::int) i returning id::text`;
  await Promise.all(
    drafts.map(({ id }) =>
      startInstance(server, key, {
        variables: { card: JSON.stringify({ attachment_id: id, file_name: "card.png" }) },
      }),
    ),
  );
  const completed = async () => {
    const [row] = await server.sql<{ count: number }[]>`
      select count(*)::int as count from waybill.process_instances where process_key = ${key} and state = 'completed'`;
    return row?.count;
  };
  for (const deadline = Date.now() + 120_000; (await completed()) !== count; await Bun.sleep(100))
    if (Date.now() > deadline) throw new Error(`${await completed()} are completed`);
  expect(new Set(partner.received.map(({ body }) => body)).size).toBe(count);
});
