import { afterAll, beforeAll, expect, test } from "bun:test";
import { parse } from "yaml";
import contract from "../../../src/generated/openapi.json";
import { startServer, type TestServer } from "../../support/server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

test("GET /openapi.yaml answers the same contract as /openapi.json, as YAML", async () => {
  const response = await fetch(`${server.url}/openapi.yaml`);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("application/yaml");
  expect(parse(await response.text())).toEqual(contract as Record<string, unknown>);
});
