/** A wrong configuration starts nothing, prints one line that names the variable, and ends with 1. */
import { expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { inFolder, repository } from "../support/waybillProcess.ts";

const bad: Readonly<Record<string, string>> = {
  PORT: "http",
  DATABASE_URL: "mysql://root@localhost/waybill",
  S3_ENDPOINT: "localhost:9000",
  JWT_SECRET: "short",
  JWT_JWKS_URL: "keys.json",
  PUBLIC_BASE_URL: "bank.example",
  DOWNLOAD_TOKEN_SECRET: "short",
  FORM_TOKEN_SECRET: "short",
  FORM_ATTACHMENT_URL_TTL_SECONDS: "3601",
  UPLOAD_MAX_SIZE: "ten",
  DRAFT_MAX_AGE_HOURS: "-1",
  DRAFT_SWEEP_INTERVAL_SECONDS: "0",
  TRUSTED_PROXIES: "10.0.0.0/33",
  LOG_LEVEL: "loud",
};

test.each(Object.entries(bad))("a wrong %s stops the start with one line that names it: %s", (name, value) =>
  inFolder(async (folder, start) => {
    const waybill = start({ environment: { [name]: value } });
    expect(await waybill.exited).toBe(1);
    expect(waybill.stderr()).toMatch(new RegExp(`^${name} [^\\n]+\\n$`));
    expect(waybill.stdout()).toBe("");
    expect(await readdir(folder)).toEqual([]);
  }),
);

test("DATABASE_URL without JWT_SECRET or JWT_JWKS_URL is refused", () =>
  inFolder(async (_folder, start) => {
    const waybill = start({ environment: { DATABASE_URL: "postgres://localhost/waybill" } });
    expect(await waybill.exited).toBe(1);
    expect(waybill.stderr()).toMatch(/^JWT_SECRET is not set; [^\n]+JWT_JWKS_URL[^\n]+\n$/);
  }));

test("a database that cannot be reached prints one line without its password", () =>
  inFolder(async (_folder, start) => {
    const environment = {
      DATABASE_URL: "postgres://waybill:hunter2@127.0.0.1:1/waybill",
      JWT_SECRET: "a secret of at least thirty-two characters",
    };
    const waybill = start({ environment });
    expect(await waybill.exited).toBe(1);
    expect(waybill.stderr()).toMatch(/^DATABASE_URL [^\n]+\n$/);
    expect(waybill.stderr()).not.toContain("hunter2");
  }));

const token = (...args: string[]) => [join(repository, "src/commands/token.ts"), ...args];

test.each([
  [[]],
  [["--tenant", "0", "--slug", "demo", "--user", "alice", "--role", "member"]],
  [["--tenant", "one", "--slug", "demo", "--user", "alice", "--role", "member"]],
  [["--tenant", "1", "--slug", "demo", "--user", "alice"]],
  [["--tenant", "1", "--slug", "demo", "--user", "alice", "--role", "root"]],
  [["--tenant", "1", "--slug", "demo", "--user", "alice", "--role", "member", "--ttl", "0"]],
  [["--tenant", "1", "--slug", "demo", "--user", "alice", "--role", "member", "--group", ""]],
  [["--verbose"]],
])("`bun run token` with wrong arguments prints its usage: %j", (args) =>
  inFolder(async (folder, start) => {
    const waybill = start({ command: token(...args) });
    expect(await waybill.exited).toBe(1);
    expect(waybill.stdout()).toBe("");
    expect(waybill.stderr()).toContain("usage: bun run token");
    expect(waybill.stderr()).not.toContain("    at ");
    expect(await readdir(folder)).toEqual([]);
  }),
);

test("`bun run token` writes the groups of the user into the token", () =>
  inFolder(async (_folder, start) => {
    const person = ["--tenant", "1", "--slug", "demo", "--user", "alice", "--role", "member"];
    const command = token(...person, "--group", "clerks", "--group", "two words");
    const waybill = start({
      command,
      environment: { JWT_SECRET: crypto.randomUUID() + crypto.randomUUID() },
    });
    expect(await waybill.exited).toBe(0);
    const [, payload = ""] = waybill.stdout().split(".");
    const { tenants } = JSON.parse(Buffer.from(payload, "base64url").toString());
    expect(tenants).toEqual([{ id: 1, slug: "demo", roles: ["member"], groups: ["clerks", "two words"] }]);
  }));
