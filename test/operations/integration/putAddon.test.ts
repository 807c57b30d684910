import { afterAll, beforeAll, expect, test } from "bun:test";
import { member } from "../../support/attachments.ts";
import { startServer, type TestServer, type TokenClaims } from "../../support/server.ts";
import { refusal, send } from "../../support/tables.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const put = async (key: string, url: string, by: TokenClaims = {}) =>
  (await server.integration(by)).putAddon({
    key,
    xActiveTenant: `tenant-${by.tenant ?? 1}`,
    newAddon: { url },
  });
const urls = async (tenant = 1) => {
  const api = await server.integration({ tenant });
  const { addons } = await api.listAddons({ xActiveTenant: `tenant-${tenant}` });
  return Object.fromEntries(addons.map(({ key, url }) => [key, url]));
};

test("an administrator registers an addon; the answer has their name and the time", async () => {
  expect(await put("credit-score", "https://score.example/addon?v=2")).toEqual({
    key: "credit-score",
    url: "https://score.example/addon?v=2",
    updated_by: "alice",
    updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
  });
});

test("registering a key again replaces its URL", async () => {
  const first = await put("twice", "https://one.example/");
  const second = await put("twice", "http://two.example:8080/x", { user: "carol" });
  expect(second).toMatchObject({ url: "http://two.example:8080/x", updated_by: "carol" });
  expect(second.updated_at > first.updated_at).toBe(true);
  expect((await urls()).twice).toBe("http://two.example:8080/x");
});

test("keys are case-sensitive, and each tenant has its own", async () => {
  await put("Key", "https://a.example/");
  await put("key", "https://b.example/");
  await put("key", "https://c.example/", { tenant: 2 });
  expect(await urls()).toMatchObject({ Key: "https://a.example/", key: "https://b.example/" });
  expect(await urls(2)).toEqual({ key: "https://c.example/" });
});

test("of many simultaneous registrations of a key, one is the last", async () => {
  const all = Array.from({ length: 20 }, (_, n) => `https://${n}.example/`);
  await Promise.all(all.map((url) => put("raced", url)));
  expect(all).toContain((await urls()).raced ?? "");
});

test.each([
  ["no URL", "score"],
  ["a relative one", "/addon"],
  ["another scheme", "ftp://score.example/"],
  ["a script", "javascript:alert(1)"],
  ["a file", "file:///etc/passwd"],
  ["no host", "http://"],
  ["an invalid port", "http://score.example:99999/"],
  ["an invalid address", "http://1.2.3.4.5/"],
  ["a user", "https://user@score.example/"],
  ["a password", "https://:secret@score.example/"],
  ["a space", "https://score.example/a b"],
  ["a line break", "https://score.example/\r\nX: y"],
  ["nothing", ""],
  ["more than 2,000 characters", `https://score.example/${"x".repeat(2000)}`],
])("a URL that cannot be called is answered 400 with its pointer: %s", async (_what, url) => {
  const answer = await refusal(put("refused", url));
  expect(answer).toMatchObject({ status: 400, code: "invalid_body" });
  expect(new Set(answer.pointers)).toEqual(new Set(["/url"]));
  expect(await urls()).not.toHaveProperty("refused");
});

test.each(["a b", "a%2Fb", ".hidden", "-x", "x".repeat(101), "é"])(
  "a key that no service task can name is answered 400: %s",
  async (key) => {
    const body = { url: "https://score.example/" };
    const path = `/api/v1/integration/addons/${encodeURIComponent(decodeURIComponent(key))}`;
    const headers = { "x-active-tenant": "tenant-1" };
    expect(await send(server, `PUT ${path}`, { body, headers })).toMatchObject({ status: 400 });
  },
);

test("members, engines and other tenants' administrators cannot register addons: 401", async () => {
  for (const by of [member(), { roles: ["engine"] }])
    expect(await refusal(put("foreign", "https://x.example/", by))).toMatchObject({ status: 401 });
  const api = await server.integration({ tenant: 2 });
  const call = api.putAddon({
    key: "foreign",
    xActiveTenant: "tenant-1",
    newAddon: { url: "https://x.example/" },
  });
  expect(await refusal(call)).toMatchObject({ status: 401 });
  expect(await urls()).not.toHaveProperty("foreign");
});

test("the log says who registered what, but only with the URL's host", async () => {
  await put("logged", "https://score.example/addon?key=s3cret", { user: "dora" });
  const line = server.logged.find(({ addon }) => addon === "logged");
  expect(line).toMatchObject({ actor: "dora", tenant_id: 1, host: "score.example", level: "info" });
  expect(JSON.stringify(server.logged)).not.toContain("s3cret");
});
