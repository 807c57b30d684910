import { afterAll, beforeAll, expect, test } from "bun:test";
import { fixture, fixtureBytes, freshUser, member } from "../../support/attachments.ts";
import { idOfPath, storedRemains, uploadGeneral } from "../../support/messages.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { answerOf, refusal } from "../../support/tables.ts";

const largest = "weasyprint.pdf";
const maxBytes = (await fixtureBytes(largest)).length;
const uploadPath = "/api/v1/integration/upload";

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ environment: { UPLOAD_MAX_SIZE: String(maxBytes) } });
});
afterAll(() => server.stop());

const office = "application/vnd.openxmlformats-officedocument";

test.each([
  ["imagemagick.jpg", "image/jpeg"],
  ["chromium.png", "image/png"],
  ["weasyprint.pdf", "application/pdf"],
  ["libreoffice.docx", `${office}.wordprocessingml.document`],
  ["poi-streamed.xlsx", `${office}.spreadsheetml.sheet`],
])("an upload answers only a path, where the file can be downloaded: %s", async (name, type) => {
  const by = member();
  const api = await server.integration(by);
  const answer = await api.uploadFile({ xActiveTenant: "tenant-1", file: await fixture(name) });
  expect(answer).toEqual({
    path: expect.stringMatching(/^\/api\/v1\/integration\/files\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
  });
  const headers = {
    authorization: `Bearer ${await server.token(by)}`,
    "x-active-tenant": "tenant-1",
  };
  const response = await server.request(answer.path, { headers });
  expect(response.headers.get("content-type")).toBe(type);
  expect(await response.bytes()).toEqual(await fixtureBytes(name));
});

test("the same file uploaded twice is two files", async () => {
  const by = member();
  const file = await fixture("pillow.png");
  expect(await uploadGeneral(server, by, file)).not.toBe(await uploadGeneral(server, by, file));
});

test.each([
  ["an extension that is not allowed", "pillow.png", "pillow.gif", 415],
  ["another type's name", "pillow.png", "pillow.pdf", 415],
  ["a name that is too long", "pillow.png", `${"x".repeat(300)}.png`, 400],
])(
  "a file that is refused as an attachment is refused here, and leaves nothing: %s",
  async (_what, name, as, status) => {
    const before = await storedRemains(server);
    const answer = await refusal(uploadGeneral(server, member(), await fixture(name, { as })));
    expect(answer).toMatchObject({ status });
    expect(await storedRemains(server)).toEqual({ ...before, temporary: 0 });
  },
);

test("an empty or truncated file is answered 415, a file that is too large 413", async () => {
  const before = await storedRemains(server);
  const png = await fixtureBytes("pillow.png");
  for (const bytes of [new Uint8Array(), png.slice(0, -20)])
    expect(await refusal(uploadGeneral(server, member(), new File([bytes], "a.png")))).toMatchObject({
      status: 415,
    });
  const larger = new File([await fixtureBytes(largest), "\n"], largest);
  expect(await refusal(uploadGeneral(server, member(), larger))).toMatchObject({ status: 413 });
  expect(await storedRemains(server)).toEqual({ ...before, temporary: 0 });
});

test("a body without a file, with two files or with another field is answered 400", async () => {
  const headers = async () => ({
    authorization: `Bearer ${await server.token(member())}`,
    "x-active-tenant": "tenant-1",
  });
  const file = await fixture("pillow.png");
  const bodies: [name: string, value: File | string][][] = [
    [],
    [["file", "text"]],
    [["attachment", file]],
    [
      ["file", file],
      ["file", file],
    ],
    [
      ["file", file],
      ["process_key", "x"],
    ],
  ];
  for (const parts of bodies) {
    const body = new FormData();
    for (const [name, value] of parts) body.append(name, value);
    const answer = await answerOf(
      await server.request(uploadPath, { method: "POST", body, headers: await headers() }),
    );
    expect(answer.status).toBe(400);
  }
});

test("a login of the tenant is required", async () => {
  const api = await server.integration(member(freshUser(), 2));
  const file = await fixture("pillow.png");
  expect(await refusal(api.uploadFile({ xActiveTenant: "tenant-1", file }))).toMatchObject({ status: 401 });
  const anonymous = await fetch(`${server.url}${uploadPath}`, { method: "POST", body: new FormData() });
  expect(anonymous.status).toBe(401);
});

test("the 21st upload of a user in a minute is answered 429; other users are not affected", async () => {
  const by = member();
  const file = await fixture("pillow.png");
  const paths = await Promise.all(Array.from({ length: 20 }, () => uploadGeneral(server, by, file)));
  expect(new Set(paths.map(idOfPath)).size).toBe(20);
  const answer = await refusal(uploadGeneral(server, by, file));
  expect(answer).toMatchObject({ status: 429, code: "rate_limited" });
  expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  await uploadGeneral(server, member(), file);
});
