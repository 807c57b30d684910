/** No list returns more than 16 MiB, whatever a tenant has stored. A smaller page of it can be read. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { end, flow, model, start } from "../../support/bpmn.ts";
import { deploy } from "../../support/processes.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { send } from "../../support/tables.ts";

setDefaultTimeout(60_000);
let server: TestServer;
beforeAll(async () => {
  server = await startServer({ workers: false });
  await deploy(server, model("large", [start(), end(), flow("start", "end")].join("\n")));
});
afterAll(() => server.stop());

const id = "00000000-0000-0000-0000-000000000001";
const probis = "/api/v1/probis";
const large = "repeat('x', 1000000)";

/** Lists, with a statement that fills each with twenty rows of a megabyte. Lists of short columns get more rows. */
const lists: readonly [path: string, insert: string][] = [
  [
    "/api/v1/report/1/processes/large/instances?",
    `insert into tenant_1.trx_large (process_instance_id, version, state, variables)
     select gen_random_uuid(), 1, 'active',
            json_build_object('x', json_build_object('type', 'String', 'value', ${large}))
     from generate_series(1, 20)`,
  ],
  [
    "/api/v1/report/1/schema/tables",
    `insert into tenant_1._tables (id, table_name, description, columns)
     select n, 'large_' || n, ${large}, '[]' from generate_series(1, 20) n`,
  ],
  [
    "/api/v1/tasklist/tasks?",
    `insert into waybill.user_tasks (id, tenant_id, process_instance_id, process_key, activity_id, execution_id, name)
     select gen_random_uuid(), 1, '${id}', 'large', 'a', n::text, ${large} from generate_series(1, 20) n`,
  ],
  [
    `${probis}/incidents?`,
    `insert into waybill.incidents
       (id, tenant_id, process_instance_id, process_key, activity_id, type, message, request_sent, attempt)
     select gen_random_uuid(), 1, '${id}', 'large', 'a', 'rejected', ${large}, 'no', 1 from generate_series(1, 20)`,
  ],
  [
    `${probis}/discussions/${id}/messages?`,
    `insert into waybill.discussion_messages (id, tenant_id, process_instance_id, author, text)
     select gen_random_uuid(), 1, '${id}', 'alice', ${large} from generate_series(1, 20)`,
  ],
  [
    `${probis}/discussions/${id}/participants`,
    `insert into waybill.discussion_participants (tenant_id, process_instance_id, user_id, added_by)
     select 1, '${id}', n::text, ${large} from generate_series(1, 20) n`,
  ],
  [
    `${probis}/embeds?`,
    `insert into waybill.embeds (id, tenant_id, process_key, created_by)
     select n::text, 1, 'large', ${large} from generate_series(1, 20) n`,
  ],
  [
    "/api/v1/integration/addons",
    `insert into waybill.addons (tenant_id, key, url, updated_by)
     select 1, n::text, ${large}, 'alice' from generate_series(1, 20) n`,
  ],
  [
    `${probis}/process-definitions`,
    `insert into waybill.process_definitions (tenant_id, process_key, version, name, bpmn, forms, deployed_by)
     select 1, 'large_' || n, 1, ${large}, '', '{}', 'alice' from generate_series(1, 20) n`,
  ],
];

test.each(lists)("%s", async (path, insert) => {
  const get = (page = "") =>
    send(server, `GET ${path}${page}`, { headers: { "x-active-tenant": "tenant-1" } });
  expect((await get()).status).toBe(200);
  await server.sql.unsafe(insert);
  expect(await get()).toMatchObject({ status: 400, code: "answer_too_large" });
  if (!path.endsWith("?")) return;
  const page = await get("limit=10");
  expect(page.status).toBe(200);
  expect(page.text.length).toBeGreaterThan(10_000_000);
});
