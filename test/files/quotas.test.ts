/** How much visitors may upload in a day, and how much a tenant may store in total. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { sweepOnce } from "../../src/files/maintenance/sweep.ts";
import type { Storage } from "../../src/infrastructure/storage/storage.ts";
import {
  fixture,
  fixtureBytes,
  freshAddress,
  member,
  publicUploadPath,
  trustingLoopback,
  upload,
  visit,
} from "../support/attachments.ts";
import { startServer, type TestServer } from "../support/server.ts";

const size = (await fixtureBytes("pillow.png")).length;

let server: TestServer;
let away = false;
beforeAll(async () => {
  server = await startServer({
    environment: {
      ...trustingLoopback,
      PUBLIC_UPLOAD_DAILY_QUOTA_PER_ADDRESS: String(4 * size),
      PUBLIC_UPLOAD_DAILY_QUOTA_PER_EMBED: String(6 * size),
    },
  });
  const { storage } = server.deps;
  const put: Storage["put"] = async (...args) => {
    if (away) throw new Error("the storage is away");
    await storage.put(...args);
  };
  Object.assign(server.deps, { storage: { ...storage, put } });
});
afterAll(() => server.stop());

interface Visitor {
  readonly formToken: string;
  readonly from: string;
}

async function visitor(from = freshAddress()): Promise<Visitor> {
  const { formToken } = await visit(server, { from });
  return { formToken, from };
}

async function send({ formToken, from }: Visitor) {
  const form = new FormData();
  form.set("file", await fixture("pillow.png"));
  form.set("field_name", "identity_card");
  const headers = { "x-probis-form-token": formToken, "x-forwarded-for": from };
  const response = await fetch(`${server.url}${publicUploadPath}`, { method: "POST", headers, body: form });
  const body = (await response.json()) as { attachment_id: string; code?: string };
  return { status: response.status, code: body.code, id: body.attachment_id, headers: response.headers };
}

const times = <T>(count: number, act: () => Promise<T>) => Promise.all(Array.from({ length: count }, act));
const statusesOf = (answers: readonly { status: number }[]) => answers.map(({ status }) => status).sort();

test("an address has a daily quota, however many sessions upload at the same time", async () => {
  const from = freshAddress();
  const visitors = await times(8, () => visitor(from));
  const answers = await Promise.all(visitors.map(send));
  expect(statusesOf(answers)).toEqual([201, 201, 201, 201, 429, 429, 429, 429]);
  const refused = answers.find(({ status }) => status === 429);
  expect(refused?.code).toBe("upload_quota_exceeded");
  const seconds = Number(refused?.headers.get("retry-after"));
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(86_400);
  expect((await send(await visitor())).status).toBe(201);
});

test("an embed has a daily quota, whatever the addresses of its visitors", async () => {
  const { formToken } = await visitor();
  const answers = await times(8, () => send({ formToken, from: freshAddress() }));
  expect(statusesOf(answers)).toEqual([201, 201, 201, 201, 201, 201, 429, 429]);
});

test("a session that the platform began has no embed and counts for its address", async () => {
  const form = { tenant: { id: 1, slug: "tenant-1" }, processKey: "loan_application" };
  const from = freshAddress();
  const answers = await times(6, async () => {
    const session = await server.deps.formTokens?.begin(form, { ttlSeconds: 60 });
    return send({ formToken: session?.token ?? "", from });
  });
  expect(statusesOf(answers)).toEqual([201, 201, 201, 201, 429, 429]);
});

test("the bytes of an upload that is refused, fails or is deleted are given back", async () => {
  const one = await visitor();
  away = true;
  try {
    for (let failed = 0; failed < 6; failed++) expect((await send(one)).status).toBe(500);
  } finally {
    away = false;
  }
  for (let round = 0; round < 6; round++) {
    const { status, id } = await send(one);
    expect(status).toBe(201);
    const headers = { "x-probis-form-token": one.formToken };
    const path = `/api/v1/probis/public/form-attachments/${id}`;
    expect((await fetch(`${server.url}${path}`, { method: "DELETE", headers })).status).toBe(204);
  }
  const answers = await times(5, () => send(one));
  expect(statusesOf(answers)).toEqual([201, 201, 201, 201, 429]);
});

test("on the next day an address may upload again, and old counters are deleted", async () => {
  const one = await visitor();
  expect(statusesOf(await times(5, () => send(one)))).toEqual([201, 201, 201, 201, 429]);
  await server.sql`update waybill.upload_days set day = day - 2`;
  await server.sql`update waybill.upload_charges set day = day - 2`;
  expect((await send(one)).status).toBe(201);
  await sweepOnce(server.deps);
  const [left] = await server.sql<{ days: number; charges: number }[]>`
    select (select count(*)::int from waybill.upload_days where day < now() - interval '2 days') as days,
           (select count(*)::int from waybill.upload_charges where day < now() - interval '2 days') as charges`;
  expect(left).toEqual({ days: 0, charges: 0 });
});

test("a tenant has a storage quota of its own, which simultaneous uploads do not exceed", async () => {
  const small = await startServer({ environment: { TENANT_STORAGE_QUOTA: String(3 * size) } });
  try {
    const answers = await Promise.allSettled(
      Array.from({ length: 8 }, () => upload(small, { by: member() })),
    );
    const taken = answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
    expect(taken).toHaveLength(3);
    const refused = answers.find((answer) => answer.status === "rejected");
    const { response } = (refused?.reason ?? {}) as { response: Response };
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([
      507,
      "insufficient_storage",
    ]);
    expect((await upload(small, { by: member("other", 2) })).file_name).toBe("pillow.png");
    const general = await (await small.integration(member()))
      .uploadFile({ xActiveTenant: "tenant-1", file: await fixture("pillow.png") })
      .catch((error) => error.response.status);
    expect(general).toBe(507);
    await small.sql`update waybill.attachments set state_since = now() - interval '2 days' where tenant_id = 1`;
    await sweepOnce(small.deps);
    const [row] = await small.sql<{ bytes: number }[]>`
      select bytes::float8 as bytes from waybill.tenant_storage where tenant_id = 1`;
    expect(row?.bytes).toBe(0);
    expect((await upload(small, { by: member() })).file_name).toBe("pillow.png");
  } finally {
    await small.stop();
  }
});
