/** compose.yaml is documentation that these tests compare with the code. */
import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import postgres from "postgres";
import { parse } from "yaml";
import manifest from "../../package.json";
import { parseConfig } from "../../src/infrastructure/config.ts";
import { serverUrl } from "../support/database.ts";
import { inFolder } from "../support/waybillProcess.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => Bun.file(`${root}${path}`).text();

interface Service {
  readonly image?: string;
  readonly build?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: object;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly configs?: readonly { readonly source: string; readonly target: string }[];
  readonly profiles?: readonly string[];
}
/**
 * As Compose reads it: `${NAME:?what to do}` is the variable, and stops the start if it is not set. `${NAME:-}` is empty
 * if it is not set.
 */
const text = await read("compose.yaml");
const required = [...new Set([...text.matchAll(/\$\{(\w+):\?[^}]+\}/g)].map(([, name = ""]) => name))];
const generated = Bun.spawnSync([`${root}deploy/secrets`]).stdout.toString();
const values = new Map(
  generated
    .trim()
    .split("\n")
    .map((line) => line.split("=", 2) as [string, string]),
);
const filledIn = text
  .replaceAll(/\$\{(\w+):\?[^}]+\}/g, (_all, name: string) => values.get(name) ?? "")
  .replaceAll(/\$\{\w+:-\}/g, '""');
const { services, configs } = parse(filledIn, { merge: true }) as {
  services: Record<string, Service>;
  configs: Record<string, { content: string }>;
};
const waybills = Object.values(services).filter(({ build }) => build !== undefined);

test("two processes have the same configuration, and the server accepts it as complete", () => {
  expect(waybills).toHaveLength(2);
  expect(waybills[0]?.environment).toEqual(waybills[1]?.environment ?? {});
  const config = parseConfig(waybills[0]?.environment ?? {}, "/");
  for (const name of [
    "databaseUrl",
    "s3",
    "accessTokens",
    "publicBaseUrl",
    "downloadTokenSecret",
    "formTokenSecret",
    "secretsKeys",
  ] as const)
    expect(config[name]).toBeTruthy();
});

test("it contains no secret: it requires each one, and deploy/secrets prints them all, no two the same", () => {
  expect(required.toSorted()).toEqual([...values.keys()].toSorted());
  for (const name of ["JWT_SECRET", "DOWNLOAD_TOKEN_SECRET", "FORM_TOKEN_SECRET", "SECRETS_KEY"])
    expect(required).toContain(name);
  expect(new Set(values.values()).size).toBe(values.size);
  for (const value of values.values()) expect(value).toMatch(/^[0-9a-f]{64}$/);
  const secret = /(SECRET|PASSWORD|password)\w*\W+(?!\$\{)[\w-]{4,}/;
  const lines = text.split("\n").filter((line) => !line.trimStart().startsWith("#"));
  expect(lines.filter((line) => secret.test(line.replaceAll(/\$\{\w+/g, "${")))).toEqual([]);
  expect(text).not.toMatch(/change-?me/i);
});

test("nothing starts with the secrets of earlier versions", () => {
  const earlier = "change-me-change-me-change-me-change-me";
  const environment = waybills[0]?.environment ?? {};
  for (const name of ["JWT_SECRET", "DOWNLOAD_TOKEN_SECRET", "FORM_TOKEN_SECRET"])
    expect(() => parseConfig({ ...environment, [name]: earlier }, "/")).toThrow(`${name} is well known`);
});

test("processes run in Waybill itself, or in the engine of the profile that the head of the file names", async () => {
  expect(parseConfig(waybills[0]?.environment ?? {}, "/").engine).toBeUndefined();
  const [, profile = "", url = ""] = /^# {3}COMPOSE_PROFILES=(\w+)\n# {3}ENGINE_URL=(\S+)$/m.exec(text) ?? [];
  const config = parseConfig({ ...waybills[0]?.environment, ENGINE_URL: url }, "/");
  expect(config.engine?.url).toBe(url);
  const { image, profiles, environment = {} } = services[new URL(url).hostname] ?? {};
  expect(profiles).toEqual([profile]);
  const others = Object.values(services).filter((service) => service.image !== image);
  expect(others.flatMap((service) => service.profiles ?? [])).toEqual([]);
  const database = new URL(environment.DB_URL?.replace(/^jdbc:/, "") ?? "");
  expect(Object.keys(services)).toContain(database.hostname);
  const script = configs.role?.content ?? "";
  expect(script).toContain(
    `create role ${environment.DB_USERNAME} login password '${environment.DB_PASSWORD}'`,
  );
  expect(script).toContain(`create database ${database.pathname.slice(1)} owner ${environment.DB_USERNAME};`);
});

test("its engine is the version that .ci/engines tests", async () => {
  const pom = await read("test/ci/engines/java/operaton/pom.xml");
  const [, version] = /<operaton.version>([\d.]+)</.exec(pom) ?? [];
  expect(services.engine?.image).toBe(`operaton/operaton:${version}`);
});

test("ports are published only on a loopback address", () => {
  const published = Object.values(services).flatMap(({ ports = [] }) => ports);
  expect(published.length).toBeGreaterThan(0);
  for (const port of published) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
});

test("every variable that it sets is in the table of docs/operations.md", async () => {
  const operations = await read("docs/operations.md");
  for (const name of Object.keys(waybills[0]?.environment ?? {}))
    expect(operations).toContain(`| \`${name}\` |`);
});

test("images are pinned, and the services and files that it names exist", async () => {
  for (const { image, depends_on = {}, volumes = [] } of Object.values(services)) {
    if (image) expect(image).toMatch(/^[\w./-]+:v?\d+(\.\d+)+$/);
    const needed = Array.isArray(depends_on) ? depends_on : Object.keys(depends_on);
    for (const name of needed) expect(Object.keys(services)).toContain(name);
    for (const [, path] of volumes.map((volume) => /^\.\/([^:]+):/.exec(volume) ?? []))
      if (path) expect(await Bun.file(`${root}${path}`).exists()).toBe(true);
  }
});

test("the image runs the Bun of package.json, and the proxy names both processes", async () => {
  expect(await read("Dockerfile")).toContain(`FROM oven/${manifest.packageManager.replace("@", ":")}\n`);
  const caddy = await read("deploy/Caddyfile");
  for (const name of ["waybill-1:3000", "waybill-2:3000"]) expect(caddy).toContain(name);
});

test("PostgreSQL's script creates a role that is no superuser and cannot change the audit trail", async () => {
  expect(services.postgres?.environment).not.toHaveProperty("POSTGRES_USER");
  const [script] = services.postgres?.configs ?? [];
  expect(script?.target).toStartWith("/docker-entrypoint-initdb.d/");
  // Under other names, so that they do not collide on the server of this test run.
  const suffix = randomBytes(6).toString("hex");
  const names = [`waybill_${suffix}`, `engine_${suffix}`];
  const renamed = (text: string) => text.replaceAll(/\b(waybill|engine)\b/g, `$1_${suffix}`);
  const admin = postgres(await serverUrl(), { max: 1, onnotice: () => {} });
  const url = new URL(renamed(waybills[0]?.environment?.DATABASE_URL ?? ""));
  url.host = new URL(await serverUrl()).host;
  const statements = renamed(configs[script?.source ?? ""]?.content ?? "").split(";\n");
  try {
    for (const statement of statements) await admin.unsafe(statement);
    await inFolder(async (_folder, start) => {
      const environment = {
        DATABASE_URL: url.href,
        JWT_SECRET: "a secret of at least thirty-two characters",
      };
      expect((await fetch(`${await start({ environment }).listening}/readyz`)).status).toBe(200);
    });
    const waybill = postgres(url.href, { max: 1, onnotice: () => {} });
    const [role] = await waybill`select rolsuper from pg_roles where rolname = current_user`;
    expect(role?.rolsuper).toBe(false);
    for (const forbidden of ["delete from waybill.audit_log", "set session_replication_role = replica"])
      expect(await waybill.unsafe(forbidden).catch((error) => error.code)).toBe("42501");
    await waybill.end();
  } finally {
    for (const name of names) {
      await admin`drop database if exists ${admin(name)} with (force)`;
      await admin`drop role if exists ${admin(name)}`;
    }
    await admin.end();
  }
}, 30_000);
