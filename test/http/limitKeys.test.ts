/** Limits count a user in one tenant, or an address. The Host header changes neither. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { freshAddress, freshUser, trustingLoopback } from "../support/attachments.ts";
import { openRaw } from "../support/rawHttp.ts";
import { startServer, type TestServer } from "../support/server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ environment: trustingLoopback });
});
afterAll(() => server.stop());

const requestsLeft = (headers: Headers) => Number(/r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1]);

/** Sends an upload that is refused for its body. Returns how many uploads the user has left in the tenant. */
async function uploadsLeft(user: string, tenant: number): Promise<number> {
  const authorization = `Bearer ${await server.token({ user, tenant, roles: ["member"] })}`;
  const headers = { authorization, "x-active-tenant": `tenant-${tenant}` };
  const path = "/api/v1/probis/form-attachments/upload";
  const response = await fetch(server.url + path, { method: "POST", headers, body: new FormData() });
  return requestsLeft(response.headers);
}

test("a user name in two tenants has a limit in each", async () => {
  const user = freshUser();
  expect([await uploadsLeft(user, 1), await uploadsLeft(user, 1)]).toEqual([19, 18]);
  expect(await uploadsLeft(user, 2)).toBe(19);
  expect(await uploadsLeft(user, 1)).toBe(17);
});

const hosts = [
  "localhost",
  "",
  "a b",
  "/",
  "a/b",
  "?",
  "#",
  "a@b",
  "//x",
  "http://x",
  "\\",
  "[::1",
  "a:99999",
];

test("requests of one address count together, with any Host header or none", async () => {
  const from = freshAddress();
  const body = '{"embed_id":"x"}';
  const fields = `X-Forwarded-For: ${from}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
  const path = "/api/v1/probis/public/form-sessions";
  const send = async (start: string) => {
    const connection = await openRaw(server.url);
    connection.send(`${start}\r\n${fields}\r\n\r\n${body}`);
    const [answer] = await connection.answers(1);
    connection.destroy();
    return answer;
  };
  const left: number[] = [];
  for (const host of hosts) {
    const answer = await send(`POST ${path} HTTP/1.1\r\nHost: ${host}`);
    expect([host, answer?.status]).toEqual([host, 404]);
    left.push(requestsLeft(answer?.headers ?? new Headers()));
  }
  const old = await send(`POST ${path} HTTP/1.0`);
  left.push(requestsLeft(old?.headers ?? new Headers()));
  expect(left).toEqual(Array.from({ length: hosts.length + 1 }, (_, at) => 29 - at));
});
