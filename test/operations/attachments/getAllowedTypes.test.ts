import { afterAll, beforeAll, expect, test } from "bun:test";
import { member } from "../../support/attachments.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { refusal, send } from "../../support/tables.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const xActiveTenant = "tenant-1";

test("the extensions of the requirements, and ten megabytes by default", async () => {
  const api = await server.attachments(member());
  expect(await api.getAllowedTypes({ xActiveTenant })).toEqual({
    extensions: ["jpg", "jpeg", "png", "pdf", "docx", "xlsx"],
    max_size_mb: 10,
  });
});

test("a configured limit is returned in megabytes of 1,048,576 bytes", async () => {
  const small = await startServer({ environment: { UPLOAD_MAX_SIZE: "1536KB" } });
  const api = await small.attachments(member());
  expect((await api.getAllowedTypes({ xActiveTenant })).max_size_mb).toBe(1.5);
  await small.stop();
});

test("a login of the tenant is required", async () => {
  const foreign = await server.attachments(member("mallory", 2));
  expect(await refusal(foreign.getAllowedTypes({ xActiveTenant }))).toMatchObject({ status: 401 });
  const path = "GET /api/v1/probis/form-attachments/allowed-types";
  expect(await send(server, path, { headers: { authorization: "" } })).toMatchObject({ status: 401 });
  expect(await send(server, path)).toMatchObject({ status: 401 });
});
