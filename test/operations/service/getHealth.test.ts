import { afterAll, beforeAll, expect, test } from "bun:test";
import { Configuration, ServiceApi } from "../../../sdk/src/generated/index.ts";
import { startServer, type TestServer } from "../../support/server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

test("GET /healthz answers 200 without credentials", async () => {
  const service = new ServiceApi(new Configuration({ basePath: server.url }));
  expect(await service.getHealth()).toEqual({ status: "ok" });
});

test("GET /healthz takes no parameters", async () => {
  const response = await fetch(`${server.url}/healthz?probe=1`);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    code: "invalid_parameter",
    errors: [{ pointer: "/query/probe" }],
  });
});
