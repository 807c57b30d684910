import { afterAll, beforeAll, expect, test } from "bun:test";
import { Configuration, FormSessionsApi } from "../../../sdk/src/generated/index.ts";
import { freshAddress, trustingLoopback } from "../../support/attachments.ts";
import { expectProblem } from "../../support/problem.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { refusal } from "../../support/tables.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ environment: trustingLoopback });
});
afterAll(() => server.stop());

const xActiveTenant = "tenant-1";

async function embed(): Promise<string> {
  const forms = await server.formSessions();
  return (await forms.createEmbed({ xActiveTenant, newEmbed: { process_key: "loan" } })).embed_id;
}

const open = (embed_id: string) => {
  const headers = { "X-Forwarded-For": freshAddress() };
  const visitor = new FormSessionsApi(new Configuration({ basePath: server.url, headers }));
  return visitor.createFormSession({ newFormSession: { embed_id } });
};
const page = async (id: string) => (await fetch(`${server.url}/embed/${id}`)).text();

test("a deleted embed has no page and begins no session; other embeds are not affected", async () => {
  const forms = await server.formSessions();
  const [gone, other] = [await embed(), await embed()];
  expect(await open(gone)).toHaveProperty("form_token");
  await forms.deleteEmbed({ xActiveTenant, embedId: gone });
  expect(await refusal(open(gone))).toMatchObject({ status: 404, code: "embed_not_found" });
  const never = "x".repeat(22);
  expect((await page(gone)).replaceAll(gone, never)).toBe(await page(never));
  expect((await forms.listEmbeds({ xActiveTenant })).map(({ embed_id }) => embed_id)).toEqual([other]);
  expect(await open(other)).toHaveProperty("form_token");
  for (const missing of [gone, "never", "%00"])
    expect(await refusal(forms.deleteEmbed({ xActiveTenant, embedId: missing }))).toMatchObject({
      status: 404,
      code: "embed_not_found",
    });
});

test("visitors with the deleted form open can neither upload nor send it; others can", async () => {
  const forms = await server.formSessions();
  const [gone, other] = [await embed(), await embed()];
  const [ended, open_] = [await open(gone), await open(other)];
  const form = ({ form_token }: { form_token: string }) =>
    fetch(`${server.url}/api/v1/probis/public/start-form`, {
      headers: { "X-Probis-Form-Token": form_token },
    });
  await forms.deleteEmbed({ xActiveTenant, embedId: gone });
  await expectProblem(await form(ended), "unauthenticated");
  await expectProblem(await form(open_), "process_not_found");
});

test("another tenant's embed does not exist, and neither members nor engines can delete one", async () => {
  const id = await embed();
  const others = await server.formSessions({ tenant: 2, roles: ["admin_sop"] });
  const elsewhere = others.deleteEmbed({ xActiveTenant: "tenant-2", embedId: id });
  expect(await refusal(elsewhere)).toMatchObject({ status: 404, code: "embed_not_found" });
  for (const roles of [["member"], ["engine"]]) {
    const forms = await server.formSessions({ roles });
    expect(await refusal(forms.deleteEmbed({ xActiveTenant, embedId: id }))).toMatchObject({ status: 401 });
  }
  expect(await open(id)).toHaveProperty("form_token");
});
