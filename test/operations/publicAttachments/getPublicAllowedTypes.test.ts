import { afterAll, beforeAll, expect, test } from "bun:test";
import { visit } from "../../support/attachments.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { refusal } from "../../support/tables.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

test("the answer has only the extensions of the requirements", async () => {
  const { api } = await visit(server);
  expect(await api.getPublicAllowedTypes()).toEqual({
    extensions: ["jpg", "jpeg", "png", "pdf", "docx", "xlsx"],
  });
});

test("a form token is required, and an access token does not replace it", async () => {
  for (const token of ["garbage", await server.token()])
    expect(await refusal(server.visitor(token).getPublicAllowedTypes())).toMatchObject({ status: 401 });
});
