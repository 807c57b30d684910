/** `bun run server` without configuration: a newcomer's first minute, and what the data folder survives. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { decodeJwt } from "jose";
import { isLoopback } from "../../src/welcome.ts";
import { isAlive, postmasterPid } from "../infrastructure/database/serverProcess.ts";
import { inFolder, repository } from "../support/waybillProcess.ts";

const timeout = 60_000;
const tables = "/api/v1/report/1/schema/tables";
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const tokenIn = (text: string) => /^eyJ\S+$/m.exec(text)?.[0] ?? "";
const tokenCommand = [
  join(repository, "src/commands/token.ts"),
  "--tenant",
  "1",
  "--slug",
  "demo",
  "--user",
  "alice",
];

test(
  "a first start prints the address of Swagger UI, a token, and a request that works when pasted",
  () =>
    inFolder(async (_folder, start) => {
      const server = start();
      const url = await server.listening;
      while (!server.stdout().includes("-d '")) await Bun.sleep(10);
      const printed = server.stdout();
      const [, swagger = ""] = /Swagger UI +(\S+)/.exec(printed) ?? [];
      expect(swagger).toBe(`${url}/swagger`);
      expect((await fetch(swagger)).status).toBe(200);
      expect((await fetch(url + tables, bearer(tokenIn(printed)))).status).toBe(200);
      const { exp = 0, jti } = decodeJwt(tokenIn(printed));
      expect(exp * 1_000 - Date.now()).toBeWithin(50 * 60_000, 60 * 60_000 + 1_000);
      expect(jti).toMatch(/^[0-9a-f-]{36}$/);

      const line = printed.slice(printed.indexOf("curl -X"));
      const pasted = Bun.spawnSync(["bash", "-c", line]);
      expect(JSON.parse(pasted.stdout.toString())).toMatchObject({
        success: true,
        data: { table_name: "customers" },
      });
    }),
  timeout,
);

test(
  "a server that others can reach prints no token, but a command that prints one",
  () =>
    inFolder(async (folder, start) => {
      const server = start({ environment: { HOST: "0.0.0.0", SWAGGER_UI: "off" } });
      const { port } = new URL(await server.listening);
      while (!server.stdout().includes("bun run token")) await Bun.sleep(10);
      expect(server.stdout() + server.stderr()).not.toMatch(/eyJ|swagger/);
      const [, line = ""] = /^bun run token (.+)$/m.exec(server.stdout()) ?? [];
      const command = [join(repository, "src/commands/token.ts"), ...line.split(" ")];
      const token = start({
        command: [...command, "--ttl", "600"],
        environment: { DATA_DIR: join(folder, ".data") },
      });
      expect(await token.exited).toBe(0);
      const { exp = 0, jti } = decodeJwt(token.stdout().trim());
      expect(exp * 1_000 - Date.now()).toBeWithin(500_000, 601_000);
      expect(jti).toMatch(/^[0-9a-f-]{36}$/);
      const answer = await fetch(`http://127.0.0.1:${port}${tables}`, bearer(token.stdout().trim()));
      expect(answer.status).toBe(200);
    }),
  timeout,
);

test("only addresses that no other machine can reach are loopback addresses", () => {
  for (const host of ["localhost", "127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"])
    expect([host, isLoopback(host)]).toEqual([host, true]);
  for (const host of [
    "0.0.0.0",
    "::",
    "192.168.1.7",
    "10.0.0.1",
    "waybill.internal",
    "localhost.evil.example",
    "",
  ])
    expect([host, isLoopback(host)]).toEqual([host, false]);
});

test(
  "SIGTERM ends the server and PostgreSQL; the next start has the data and accepts the token",
  () =>
    inFolder(async (folder, start) => {
      const first = start();
      const url = await first.listening;
      const token = start({ command: [...tokenCommand, "--role", "admin_sop"] });
      expect(await token.exited).toBe(0);
      expect(token.stdout()).toMatch(/^eyJ[\w-]+\.[\w-]+\.[\w-]+\n$/);
      const signedIn = bearer(token.stdout().trim());
      const body = JSON.stringify({ name: "kept", columns: [{ name: "full_name", type: "text" }] });
      const headers = { ...signedIn.headers, "content-type": "application/json" };
      expect((await fetch(url + tables, { method: "POST", headers, body })).status).toBe(201);

      const postgres = await postmasterPid(join(folder, ".data"));
      first.kill("SIGTERM");
      expect(await first.exited).toBe(0);
      expect(isAlive(postgres)).toBe(false);

      const second = start();
      const answer = await fetch((await second.listening) + tables, signedIn);
      expect(await answer.json()).toMatchObject({ data: { tables: [{ table_name: "kept" }] } });
    }),
  timeout,
);

test(
  "after a server is killed, the next one has its data",
  () =>
    inFolder(async (_folder, start) => {
      const first = start();
      const url = await first.listening;
      while (!server(first).includes("-d '")) await Bun.sleep(10);
      const token = tokenIn(server(first));
      const body = JSON.stringify({ name: "kept", columns: [{ name: "full_name", type: "text" }] });
      const headers = { ...bearer(token).headers, "content-type": "application/json" };
      expect((await fetch(url + tables, { method: "POST", headers, body })).status).toBe(201);
      first.kill("SIGKILL");
      await first.exited;
      const second = start();
      const answer = await fetch((await second.listening) + tables, bearer(token));
      expect(await answer.json()).toMatchObject({ data: { tables: [{ table_name: "kept" }] } });
    }),
  timeout,
);

const server = (waybill: { stdout(): string }) => waybill.stdout();

test(
  "a second server on the same data folder, or on a used port, prints one line and ends with 1",
  () =>
    inFolder(async (folder, start) => {
      const first = start();
      const port = new URL(await first.listening).port;
      const second = start();
      expect(await second.exited).toBe(1);
      expect(second.stderr()).toMatch(/^DATA_DIR [^\n]+ is in use [^\n]+\n$/);
      const third = start({
        environment: { DATA_DIR: join(folder, "other"), PORT: port, LOG_LEVEL: "fatal" },
      });
      expect(await third.exited).toBe(1);
      expect(third.stderr()).toMatch(new RegExp(`^PORT is ${port}; [^\\n]+\\n$`));
      expect(third.stdout()).toBe("");
    }),
  timeout,
);

test(
  "`bun run server` passes SIGTERM on and ends with 0; `bun run token` prints only the token",
  () =>
    inFolder(async (folder, start) => {
      const environment = { DATA_DIR: join(folder, "data") };
      const run = (...args: string[]) =>
        start({ command: ["run", "--cwd", repository, ...args], environment });
      const waybill = run("server");
      const url = await waybill.listening;
      const token = run("token", ...tokenCommand.slice(1), "--role", "admin_sop", "--role", "member");
      expect(await token.exited).toBe(0);
      expect(token.stdout()).toMatch(/^eyJ[\w-]+\.[\w-]+\.[\w-]+\n$/);
      expect((await fetch(url + tables, bearer(token.stdout().trim()))).status).toBe(200);
      const postgres = await postmasterPid(environment.DATA_DIR);
      waybill.kill("SIGTERM");
      expect(await waybill.exited).toBe(0);
      expect(isAlive(postgres)).toBe(false);
      expect(fetch(`${url}/healthz`)).rejects.toThrow();
    }),
  timeout,
);
