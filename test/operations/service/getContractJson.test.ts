import { afterAll, beforeAll, expect, test } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import contract from "../../../src/generated/openapi.json";
import { startServer, type TestServer } from "../../support/server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

test("GET /openapi.json answers the complete, valid contract without credentials", async () => {
  const response = await fetch(`${server.url}/openapi.json`);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("application/json");
  const document = (await response.json()) as Record<string, unknown>;
  expect(document).toEqual(contract as Record<string, unknown>);
  expect(await new Validator().validate(document)).toMatchObject({ valid: true });
});
