/**
 * The conformance suite: the same models, requests and expected answers on each engine that Waybill can work with.
 *
 * | run | by |
 * |---|---|
 * | embedded engine | `bun run test`, or `bun test test/engines` |
 * | Operaton | `WAYBILL_TEST_ENGINE=operaton WAYBILL_TEST_ENGINE_URL=http://127.0.0.1:8080/engine-rest bun test test/engines` |
 * | Camunda 7 | the same with `WAYBILL_TEST_ENGINE=camunda7` |
 * | both, on PostgreSQL | `.ci/engines` |
 *
 * How to add a test:
 * - Put it into a file of its topic, `test/engines/<topic>.test.ts`. Start a world in `beforeAll`, and stop it in
 *   `afterAll`. A world is a server on the engine under test with two tenants whom nobody else has, so tests may share
 *   an engine with each other and with other users.
 * - Act through the world's steps, the SDK (`world.server`, with `by: world.admin`) or plain HTTP (`world.request`).
 *   Never name `tenant-1`, and ask no table of the embedded engine: `world.server.sql` is for files and the audit trail.
 * - An expectation that cannot hold on each engine consults `differences.ts`, which lists every allowed difference
 *   with its reason: `expected("idempotency key", { usual, different })`.
 * - What only a remote engine has, such as the traps of external tasks, goes to `test/engines/remote/`. `bun run test`
 *   leaves that folder out; `.ci/engines` runs it on each engine. `world.rest` asks the engine itself.
 */
import { randomBytes } from "node:crypto";
import { startServer, type TestServer, type TestServerOptions } from "../support/server.ts";

export const engines = ["embedded", "operaton", "camunda7"] as const;
export type EngineName = (typeof engines)[number];

/** The engine under test. */
export const engineName = chosenEngine(process.env.WAYBILL_TEST_ENGINE);
/** Its REST interface, without a slash at the end. Undefined for the embedded engine. */
export const engineUrl = urlOf(engineName, process.env.WAYBILL_TEST_ENGINE_URL);

function chosenEngine(name = "embedded"): EngineName {
  const engine = engines.find((each) => each === name);
  if (!engine) throw new Error(`WAYBILL_TEST_ENGINE is ${name}. It takes ${engines.join(", ")}.`);
  return engine;
}

function urlOf(engine: EngineName, url?: string): string | undefined {
  if (engine === "embedded") {
    if (url) throw new Error("WAYBILL_TEST_ENGINE_URL needs WAYBILL_TEST_ENGINE, operaton or camunda7.");
    return undefined;
  }
  if (!url) throw new Error(`The engine ${engine} needs WAYBILL_TEST_ENGINE_URL.`);
  return url.replace(/\/$/, "");
}

/** Versions are how the two remote engines differ from outside: Camunda's is 7.x. */
const versionOf: Readonly<Record<EngineName, RegExp>> = {
  embedded: /^/,
  operaton: /^[12]\./,
  camunda7: /^7\./,
};

async function requireEngine(url: string): Promise<void> {
  const answer = await fetch(`${url}/version`).catch((error) => {
    throw new Error(`No engine answers at ${url}: ${error}`);
  });
  const { version = "" } = (await answer.json()) as { version?: string };
  if (!versionOf[engineName].test(version))
    throw new Error(`The engine at ${url} has version ${version}: that is not ${engineName}.`);
}

/** Asks the remote engine itself. Throws where it answers with an error, or where there is no remote engine. */
export async function askEngine<T = unknown>(path: string, init: RequestInit = {}): Promise<T> {
  if (!engineUrl) throw new Error("The embedded engine has no REST interface.");
  const isJson = typeof init.body === "string";
  const headers = { ...(isJson ? { "content-type": "application/json" } : {}), ...init.headers };
  const answer = await fetch(`${engineUrl}${path}`, { ...init, headers });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`The engine answers ${answer.status} to ${path}: ${text}`);
  return (text === "" ? undefined : JSON.parse(text)) as T;
}

/** What makes a server use the engine under test. */
export const engineEnvironment: Readonly<Record<string, string>> = engineUrl ? { ENGINE_URL: engineUrl } : {};

/** A slug of a tenant that no other run and no other file has, on an engine that keeps what earlier runs left. */
export const freshSlug = () => `conformance-${randomBytes(6).toString("hex")}`;

/** A server on the engine under test. */
export async function startOnEngine(options: TestServerOptions = {}): Promise<TestServer> {
  if (engineUrl) await requireEngine(engineUrl);
  return startServer({ ...options, environment: { ...engineEnvironment, ...options.environment } });
}
