/** The parts of the fault test: two Waybill processes and an engine, each with a PostgreSQL of its own, and a receiver. */
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { secretsFrom } from "../../support/server.ts";
import { freePort } from "../faults/parts/children.ts";
import { type Postgres, startPostgres } from "../faults/parts/postgres.ts";
import { prepareWaybill, type Waybill } from "../faults/parts/waybill.ts";
import { createTokens } from "../faults/trial.ts";
import { type JavaEngine, prepareEngine } from "./javaEngine.ts";

/** A request that the receiver got. */
export interface Received {
  readonly key: string;
  /** `<number of the instance>:<activity>` */
  readonly task: string;
}

export interface RequestOptions extends RequestInit {
  /** Alice by default. */
  readonly user?: string;
}

export interface FaultParts {
  readonly engine: JavaEngine;
  readonly enginePostgres: Postgres;
  readonly waybills: readonly [Waybill, Waybill];
  readonly receiverUrl: string;
  readonly received: readonly Received[];
  /** Signed in as an administrator. Throws if the server does not answer. */
  request(waybill: Waybill, path: string, init?: RequestOptions): Promise<Response>;
  end(): Promise<void>;
}

const secret = "a secret that both processes share";

export async function startFaultParts(builtFolder: string): Promise<FaultParts> {
  const folder = await mkdtemp(join(tmpdir(), "waybill-engine-faults-"));
  // PostgreSQL runs as another account, which has to reach its folder.
  await chmod(folder, 0o711);
  const ends = [() => rm(folder, { recursive: true, force: true })];
  const end = async () => {
    for (const stop of ends.splice(0).reverse()) await stop();
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => void end().finally(() => process.exit(2)));
  const startDatabase = async (name: string) => {
    const own = join(folder, name);
    await mkdir(own, { mode: 0o711 });
    const postgres = await startPostgres(own);
    ends.push(postgres.end);
    return postgres;
  };
  try {
    const [postgres, enginePostgres] = [await startDatabase("waybill"), await startDatabase("engine")];
    const engine = await prepareEngine({ builtFolder, name: "operaton", folder, postgres: enginePostgres });
    ends.push(engine.kill);
    await engine.start();
    const receiver = startReceiver();
    ends.push(() => receiver.server.stop(true));
    const waybills = await startWaybills({ folder, databaseUrl: postgres.url, engineUrl: engine.url });
    ends.push(async () => void (await Promise.all(waybills.map((waybill) => waybill.kill()))));
    const { received } = receiver;
    const receiverUrl = `http://127.0.0.1:${receiver.server.port}/`;
    return { engine, enginePostgres, waybills, receiverUrl, received, request, end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Answers each request after a time between a moment and three seconds. */
function startReceiver() {
  const received: Received[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { task } = (await request.json()) as { task: string };
      received.push({ key: request.headers.get("idempotency-key") ?? "", task });
      await Bun.sleep(3_000 * Math.random());
      return Response.json({ receipt: task });
    },
  });
  return { received, server };
}

interface WaybillsOptions {
  readonly folder: string;
  readonly databaseUrl: string;
  readonly engineUrl: string;
}

async function startWaybills({
  folder,
  databaseUrl,
  engineUrl,
}: WaybillsOptions): Promise<[Waybill, Waybill]> {
  // Both use the files of one folder, as two processes do that share a volume.
  const dataDir = join(folder, "data");
  await mkdir(dataDir);
  const environment = {
    ...secretsFrom(secret),
    DATABASE_URL: databaseUrl,
    ENGINE_URL: engineUrl,
    DATA_DIR: dataDir,
    OUTBOUND_ALLOW: "127.0.0.1",
    PUBLIC_BASE_URL: `http://127.0.0.1:${freePort()}`,
  };
  const first = await prepareWaybill({ name: "first", folder, environment });
  const second = await prepareWaybill({ name: "second", folder, environment });
  await Promise.all([first.start(), second.start()]);
  return [first, second];
}

const token = createTokens(secretsFrom(secret).JWT_SECRET);

async function request(
  { port }: Waybill,
  path: string,
  { user = "alice", ...init }: RequestOptions = {},
): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set("authorization", `Bearer ${await token({ tenant: 1, user, role: "admin_sop" })}`);
  headers.set("x-active-tenant", "tenant-1");
  if (typeof init.body === "string") headers.set("content-type", "application/json");
  const signal = AbortSignal.timeout(40_000);
  return fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers, signal, keepalive: false });
}
