/** Roles: a token without a known role is refused, and a missing header is named, because this reveals nothing. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { operations } from "../../../src/generated/operations.ts";
import { expectProblem } from "../../support/problem.ts";
import { startServer, type TestServer } from "../../support/server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const signedIn = Object.values(operations).filter(({ security }) => security?.scheme === "accessToken");
const byHeader = signedIn.filter(({ tenantIn }) => tenantIn === "header");

type Operation = (typeof signedIn)[number];

/** Calls the operation without a body, for tenant 1 unless the headers name another one. */
const call = ({ method, path }: Operation, headers: Record<string, string>) =>
  fetch(server.url + path.replace("{tenantId}", "1").replaceAll(/\{\w+\}/g, "x"), { method, headers });

const named = { "x-active-tenant": "tenant-1" };
const bearer = async (roles: readonly string[]) => ({
  authorization: `Bearer ${await server.token({ roles })}`,
});

/** The whole answer, except for what always differs. */
async function contentOf(response: Response): Promise<string> {
  const headers = [...response.headers].filter(([name]) => !["date", "x-request-id"].includes(name));
  return JSON.stringify([headers, (await response.text()).replace(/"request_id":"[^"]+"/, "")]);
}

test.each(signedIn.map((operation) => [operation.id, operation] as const))(
  "%s: a token without a known role gets the same 401 as no token",
  async (_id, operation) => {
    const none = await contentOf(await call(operation, named));
    for (const roles of [[], ["viewer"], ["ADMIN_SOP", "Member"], [""], ["member "], ["toString"]]) {
      const response = await call(operation, { ...named, ...(await bearer(roles)) });
      expect([roles, response.status]).toEqual([roles, 401]);
      expect(await contentOf(response)).toBe(none);
    }
  },
);

test("a known role works among unknown ones", async () => {
  const headers = { ...named, ...(await bearer(["viewer", "member"])) };
  expect((await call(operations.getAllowedTypes, headers)).status).toBe(200);
});

test.each(byHeader.map((operation) => [operation.id, operation] as const))(
  "%s: a missing x-active-tenant is named, with a good token and without one",
  async (_id, operation) => {
    const good = await call(operation, await bearer(["admin_sop", "engine"]));
    const { message } = await expectProblem(good.clone() as Response, "unauthenticated");
    expect(message).toBe("The header x-active-tenant is missing. It takes the workspace slug.");
    const content = await contentOf(good);
    const others: Record<string, string>[] = [{}, { authorization: "Bearer abc.def.ghi" }, await bearer([])];
    for (const headers of others) expect(await contentOf(await call(operation, headers))).toBe(content);
  },
);

test("with the header, a bad token, a foreign tenant and no token get the same answer", async () => {
  const elsewhere = { "x-active-tenant": "tenant-2", ...(await bearer(["admin_sop"])) };
  const broken = { ...named, authorization: "Bearer abc.def.ghi" };
  const contents = [elsewhere, broken, named].map(async (headers) =>
    contentOf(await call(operations.getAllowedTypes, headers)),
  );
  const [first, ...others] = await Promise.all(contents);
  expect(first).toContain("A valid access token of an authorised user is needed.");
  for (const other of others) expect(other).toBe(first as string);
});
