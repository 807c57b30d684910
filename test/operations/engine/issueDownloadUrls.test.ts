import { afterAll, beforeAll, expect, setSystemTime, test } from "bun:test";
import { digestOf } from "../../../src/files/attachments/downloadTokens.ts";
import { issueDownloadUrls } from "../../../src/files/attachments/issue.ts";
import { useToken } from "../../../src/files/attachments/tokenQueries.ts";
import { commit, freshInstance, freshUser, issue, member, upload } from "../../support/attachments.ts";
import { startServer, type TestServer, type TokenClaims } from "../../support/server.ts";
import { refusal, send } from "../../support/tables.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ environment: { PUBLIC_BASE_URL: "https://bank.example/gateway/" } });
});
afterAll(() => server.stop());

const path = "/api/v1/internal/form-attachments/download-urls";
const nowhere = "0c8f9f0e-6f0b-4b8a-9d3e-2f4f1d0a7b11";

const issueFor = async (attachment_ids: string[], process_instance_id: string, tenant_id = 1) => {
  const engine = await server.engine({ tenant: tenant_id });
  return engine.issueDownloadUrls({ downloadUrlRequest: { tenant_id, process_instance_id, attachment_ids } });
};

const tokenCount = async () =>
  (await server.sql`select count(*)::int as count from waybill.download_tokens`)[0]?.count as number;

test("a URL has the public address and the attachment's id, and is valid for fifteen minutes", async () => {
  const attachment = await commit(server);
  const before = Date.now();
  const { urls } = await issueFor([attachment.id], attachment.processInstanceId);
  expect(urls).toHaveLength(1);
  const [{ attachment_id = "", url = "", expires_at = "" } = {}] = urls;
  expect(attachment_id).toBe(attachment.id);
  const prefix = `https://bank.example/gateway/api/v1/probis/public/form-attachments/${attachment.id}/download?token=`;
  expect(url).toStartWith(prefix);
  expect(url.slice(prefix.length)).toMatch(/^v1\.[\w-]{43}\.[\w-]{43}$/);
  expect(Date.parse(expires_at)).toBeWithin(before + 899_000, Date.now() + 901_000);
});

test.each([
  ["an hour fast", 3_600_000],
  ["an hour slow", -3_600_000],
  ["a second fast", 1_000],
])("a clock of the server that is %s does not change when a URL expires", async (_how, offMs) => {
  const { id, processInstanceId } = await commit(server);
  const issue = { tenantId: 1, processInstanceId, attachmentIds: [id] };
  const before = Date.now();
  setSystemTime(before + offMs);
  const issued = await issueDownloadUrls(server.deps, issue).finally(() => setSystemTime());
  expect(Date.parse(issued[0]?.expires_at ?? "")).toBeWithin(before + 899_300, Date.now() + 900_700);
  const token = new URL(issued[0]?.url ?? "").searchParams.get("token") ?? "";
  expect(await useToken(server.sql, digestOf(token), id)).toMatchObject({ tenantId: 1 });
});

test("a hundred occurrences get a hundred URLs, in the same order", async () => {
  const processInstanceId = freshInstance();
  const by = member();
  const one = await commit(server, { by, processInstanceId });
  const two = await commit(server, { by, processInstanceId });
  const ids = Array.from({ length: 100 }, (_, i) => (i % 3 === 0 ? one.id : two.id));
  const { urls } = await issueFor(ids, processInstanceId);
  expect(urls.map(({ attachment_id }) => attachment_id)).toEqual(ids);
  for (const { url, attachment_id } of urls) expect(url).toContain(`/${attachment_id}/download?token=`);
  expect(new Set(urls.map(({ url }) => url)).size).toBe(100);
});

test("an id in capitals is the same attachment", async () => {
  const { id, processInstanceId } = await commit(server);
  const { urls } = await issueFor([id.toUpperCase()], processInstanceId);
  expect(urls[0]?.attachment_id).toBe(id);
});

test("an attachment that is not committed to the instance is a 409 with its id, and no URL is issued", async () => {
  const good = await commit(server);
  const draft = await upload(server, { processInstanceId: good.processInstanceId });
  const elsewhere = await commit(server);
  const foreign = await commit(server, {
    by: member(freshUser(), 2),
    processInstanceId: good.processInstanceId,
  });
  const before = await tokenCount();
  for (const bad of [draft.attachment_id, elsewhere.id, foreign.id, nowhere]) {
    const answer = await refusal(issueFor([good.id, bad, good.id], good.processInstanceId));
    expect(answer).toMatchObject({ status: 409, code: "not_committed" });
    expect(answer.body.not_committed).toEqual([bad]);
  }
  const all = await refusal(issueFor([draft.attachment_id, nowhere], good.processInstanceId));
  expect(all.body.not_committed.toSorted()).toEqual([draft.attachment_id, nowhere].toSorted());
  expect(await tokenCount()).toBe(before);
});

test("only an engine of that tenant can issue; any other caller is a 401", async () => {
  const { id, processInstanceId } = await commit(server);
  const body = { tenant_id: 1, process_instance_id: processInstanceId, attachment_ids: [id] };
  const before = await tokenCount();
  const callers: TokenClaims[] = [
    { roles: ["admin_sop"] },
    { roles: ["member"] },
    { roles: [] },
    { roles: ["ENGINE"] },
    { tenant: 2, roles: ["engine"] },
    { roles: ["engine"], ttlSeconds: -1 },
  ];
  for (const claims of callers) {
    const headers = { authorization: `Bearer ${await server.token(claims)}`, "x-active-tenant": "tenant-1" };
    expect(await send(server, `POST ${path}`, { body, headers })).toMatchObject({ status: 401 });
  }
  // An engine of one tenant that is only a member of the other.
  const tenants = [
    { id: 1, slug: "tenant-1", roles: ["member"] },
    { id: 2, slug: "tenant-2", roles: ["engine"] },
  ];
  const token = await server.deps.accessTokens.sign({ sub: "two", tenants }, { ttlSeconds: 60 });
  const headers = { authorization: `Bearer ${token}` };
  expect(await send(server, `POST ${path}`, { body, headers })).toMatchObject({ status: 401 });
  expect(await send(server, `POST ${path}`, { body, headers: { authorization: "" } })).toMatchObject({
    status: 401,
  });
  expect(await tokenCount()).toBe(before);
});

test("an attachment of another tenant gives the same answer as an unknown one", async () => {
  const foreign = await commit(server, { by: member(freshUser(), 2) });
  const known = await refusal(issueFor([foreign.id], foreign.processInstanceId));
  const unknown = await refusal(issueFor([nowhere], foreign.processInstanceId));
  expect(known.body.message).toBe(unknown.body.message);
  expect(known.status).toBe(unknown.status);
});

test.each([
  ["no ids", { attachment_ids: [] }, ["/attachment_ids"]],
  ["1,001 ids", { attachment_ids: Array(1001).fill(nowhere) }, ["/attachment_ids"]],
  ["a text that is not a UUID", { attachment_ids: ["x"] }, ["/attachment_ids/0"]],
  ["no instance", { process_instance_id: undefined }, ["/process_instance_id"]],
  ["an empty instance", { process_instance_id: "" }, ["/process_instance_id"]],
  ["a tenant by its slug", { tenant_id: "tenant-1" }, ["/tenant_id"]],
  ["a tenant as a string", { tenant_id: "1" }, ["/tenant_id"]],
  ["an unknown member", { ttl: 5 }, ["/ttl"]],
])("a body that breaks its schema is a 400: %s", async (_what, changes, pointers) => {
  const body = { tenant_id: 1, process_instance_id: "4711", attachment_ids: [nowhere], ...changes };
  const headers = { authorization: `Bearer ${await server.token({ roles: ["engine"] })}` };
  expect(await send(server, `POST ${path}`, { body, headers })).toMatchObject({ status: 400, pointers });
});

test("the configured lifetime is that of the URL", async () => {
  const quick = await startServer({ environment: { FORM_ATTACHMENT_URL_TTL_SECONDS: "3600" } });
  const attachment = await commit(quick);
  const [url = ""] = await issue(quick, attachment);
  const [row] = await quick.sql`
    select extract(epoch from expires_at - issued_at)::float8 as seconds from waybill.download_tokens`;
  expect(row?.seconds).toBeWithin(3_599, 3_601);
  expect((await fetch(url)).status).toBe(200);
  await quick.stop();
});
