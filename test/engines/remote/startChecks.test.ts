/** What Waybill says at its start about an engine that it cannot work with, and what it does while one is away. */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { ConfigError } from "../../../src/infrastructure/config.ts";
import { requireVersion } from "../../../src/processes/engines/operaton/startChecks.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { askEngine } from "../engine.ts";
import { type EngineProxy, startEngineProxy } from "./engineProxy.ts";

setDefaultTimeout(60_000);
let proxy: EngineProxy;
const running: TestServer[] = [];
beforeAll(() => {
  proxy = startEngineProxy();
});
afterEach(() => Promise.all(running.splice(0).map((server) => server.stop())));
afterAll(() => proxy.stop());

async function serve(environment: Readonly<Record<string, string>>): Promise<TestServer> {
  const server = await startServer({ environment: { ENGINE_TIMEOUT_SECONDS: "5", ...environment } });
  running.push(server);
  return server;
}

async function refusal(environment: Readonly<Record<string, string>>): Promise<string> {
  const error = await serve(environment).then(
    () => undefined,
    (thrown) => thrown as Error,
  );
  expect(error).toBeInstanceOf(ConfigError);
  expect(error?.message).not.toContain("\n");
  return error?.message ?? "";
}

const warningsOf = async (server: TestServer) => {
  const answer = await server.request("/readyz");
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { warnings?: { code: string }[] }).warnings?.map(({ code }) => code) ?? [];
};

test("an engine that is as it should be has no warning, and its check leaves nothing behind", async () => {
  const server = await serve({ ENGINE_URL: proxy.url });
  expect(await warningsOf(server)).toEqual([]);
  expect(proxy.calls.some((call) => call.endsWith("/deployment/create"))).toBe(true);
  const left = await askEngine<unknown[]>("/deployment?tenantIdIn=waybill:check");
  expect(left).toEqual([]);
});

test("the account is sent with each call, and one that the engine refuses stops the start", async () => {
  proxy.requireAuthorization(`Basic ${btoa("waybill:right")}`);
  const account = { ENGINE_URL: proxy.url, ENGINE_USERNAME: "waybill" };
  expect(await refusal({ ...account, ENGINE_PASSWORD: "wrong" })).toStartWith(
    "ENGINE_URL names an engine that refuses Waybill's credentials; set ENGINE_USERNAME and ENGINE_PASSWORD",
  );
  expect(await refusal({ ENGINE_URL: proxy.url })).toContain("refuses Waybill's credentials");
  expect(await warningsOf(await serve({ ...account, ENGINE_PASSWORD: "right" }))).toEqual([]);
  proxy.requireAuthorization("Bearer token-1");
  expect(await warningsOf(await serve({ ENGINE_URL: proxy.url, ENGINE_BEARER_TOKEN: "token-1" }))).toEqual(
    [],
  );
  proxy.requireAuthorization(undefined);
});

test("an address without an engine stops the start", async () => {
  const other = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("hello") });
  const wrong = [other.url.href, proxy.url.replace("/engine-rest", ""), `${proxy.url}/elsewhere`];
  for (const ENGINE_URL of wrong)
    expect(await refusal({ ENGINE_URL })).toContain(
      "where no engine answers; it must be the REST interface of Operaton or Camunda 7, such as http://engine:8080/",
    );
  await other.stop(true);
});

test("versions that lack what Waybill asks stop the start", () => {
  for (const version of ["1.0.3", "1.1.0", "2.0.0-beta-1", "7.22.0", "7.24.0", "7.23.0-ee"])
    requireVersion(version);
  for (const version of ["7.21.9", "7.3.0", "0.9.0", "8.7.0", "unknown"])
    expect(() => requireVersion(version)).toThrow(
      `ENGINE_URL names an engine of version ${version}; it must be`,
    );
});

test("an engine that is away does not prevent the start, and is checked when it comes", async () => {
  proxy.goAway(true);
  const server = await serve({ ENGINE_URL: proxy.url });
  expect(await warningsOf(server)).toEqual(["engine_away"]);
  const listed = await server.request("/api/v1/probis/process-definitions", {
    headers: { "x-active-tenant": "tenant-1" },
  });
  expect(listed.status).toBe(503);
  expect(listed.headers.get("Retry-After")).toBe("5");
  expect(await listed.json()).toMatchObject({ code: "engine_unavailable" });
  proxy.goAway(false);
  await until(async () => (await warningsOf(server)).length === 0);
  await until(() => server.logged.some(({ msg }) => msg === "The process engine answers"));
  proxy.goAway(true);
  await until(async () => (await warningsOf(server)).includes("engine_away"));
  proxy.goAway(false);
});
