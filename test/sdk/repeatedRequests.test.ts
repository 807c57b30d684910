/** A client that sends a change again after a lost answer, through the SDK as its README shows it. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { createClient, ProblemError } from "../../sdk/src/index.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { makeTable } from "../support/tables.ts";

setDefaultTimeout(60_000);

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await startServer();
  token = await server.token();
});
afterAll(() => server.stop());

const clientOf = (fetch?: typeof globalThis.fetch) =>
  createClient({
    baseUrl: server.url,
    token,
    tenant: { id: 1, slug: "tenant-1" },
    ...(fetch ? { fetch } : {}),
  });

/** Sends each request, and loses the answer to the first one. */
function losesOneAnswer(): typeof globalThis.fetch {
  let isFirst = true;
  const send = async (...request: Parameters<typeof globalThis.fetch>) => {
    const response = await fetch(...request);
    if (!isFirst) return response;
    isFirst = false;
    throw new TypeError("the connection was lost");
  };
  return send as typeof globalThis.fetch;
}

test("a change that is sent again with its key happens once", async () => {
  const table = await makeTable(server, { full_name: "text" });
  const client = clientOf(losesOneAnswer());
  const idempotencyKey = crypto.randomUUID();
  const insert = () =>
    client.tables.insertRows({
      table: table.name,
      newRows: { rows: [{ full_name: "Siti" }] },
      idempotencyKey,
    });
  const { data } = await insert().catch(insert);
  expect(data).toEqual({ affected_rows: 1, ids: ["1"] });
  expect(await table.values()).toEqual([{ full_name: "Siti" }]);
});

test("ifMatch with the ETag of a row changes it only if nobody else has", async () => {
  const table = await makeTable(server, { full_name: "text" });
  await table.insert({ full_name: "Siti" });
  const { tables } = clientOf();
  const row = { table: table.name, id: "1" };
  const read = await tables.getRowRaw(row);
  const ifMatch = read.raw.headers.get("ETag") ?? "";
  const change = (full_name: string) =>
    tables.updateRow({ ...row, requestBody: { full_name }, ifMatch, prefer: "return=representation" });
  expect((await change("Siti Rahma")).data.rows).toMatchObject([{ full_name: "Siti Rahma" }]);
  const refused = await change("Siti R.").catch((error) => error);
  expect(refused).toBeInstanceOf(ProblemError);
  expect(refused).toMatchObject({ status: 412, code: "precondition_failed" });
});
