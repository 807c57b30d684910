import { expect, test } from "bun:test";
import { Configuration, ServiceApi } from "../../../sdk/src/generated/index.ts";
import { startServer } from "../../support/server.ts";

test("GET /readyz answers 200 without credentials, and 503 without the database", async () => {
  const server = await startServer();
  const service = new ServiceApi(new Configuration({ basePath: server.url }));
  expect(await service.getReadiness()).toEqual({ status: "ok" });
  await server.deps.control.end({ timeout: 5 });
  const response = await fetch(`${server.url}/readyz`);
  expect(response.status).toBe(503);
  expect(response.headers.get("retry-after")).toBe("5");
  expect(await response.json()).toMatchObject({ code: "database_unavailable" });
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  await server.stop();
});

test("GET /readyz answers 503 while the process drains", async () => {
  const server = await startServer({ deps: { draining: () => true } });
  const response = await fetch(`${server.url}/readyz`);
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({ code: "draining" });
  await server.stop();
});
