/** With an embedded PostgreSQL, the service is a plain role that does not own the tenant's records. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { secretsFrom, startServer, type TestServer } from "../../support/server.ts";
import { tablesPath } from "../../support/tables.ts";
import { until } from "../../support/until.ts";
import { inFolder } from "../../support/waybillProcess.ts";

setDefaultTimeout(180_000);

const secret = "shared by both servers, 32 characters";
/** Only signs tokens. */
let signer: TestServer;
beforeAll(async () => {
  signer = await startServer({ secret });
}, 60_000);
afterAll(() => signer.stop());

test("tables are changed, dropped, restored and purged", async () => {
  await inFolder(async (_, start) => {
    const waybill = start({ environment: { ...secretsFrom(secret), TABLES_UNDO_DAYS: "0.0002" } });
    const url = await waybill.listening;
    const headers = {
      authorization: `Bearer ${await signer.token()}`,
      "content-type": "application/json",
    };
    const send = async (method: string, path: string, body?: unknown) => {
      const text = body === undefined ? {} : { body: JSON.stringify(body) };
      const answer = await fetch(`${url}${tablesPath()}${path}`, { method, headers, ...text });
      const said = await answer.text();
      expect([method, path, answer.status < 300, said]).toEqual([method, path, true, said]);
      return JSON.parse(said).data;
    };
    const { id } = await send("POST", "", {
      name: "loans",
      columns: [
        { name: "a", type: "text" },
        { name: "b", type: "text" },
      ],
    });
    await send("PATCH", "/loans?confirm=true", {
      drop_columns: ["b"],
      add_columns: [{ name: "c", type: "integer", unique: true }],
    });
    await send("DELETE", "/loans?confirm=true");
    await send("POST", `/${id}/restore`, { name: "credits" });
    await send("PATCH", "/credits", { restore_columns: [{ name: "b" }] });
    await send("DELETE", "/credits?confirm=true");
    expect((await send("GET", "?$dropped=true")).tables).toMatchObject([{ id, table_name: "credits" }]);
    // After some seconds, the recurring job purges it.
    await until(async () => (await send("GET", "?$dropped=true")).tables.length === 0, 90);
  });
});
