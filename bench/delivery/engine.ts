/**
 * `bun run bench delivery --engine [JAR]`: service tasks a second of Waybill beside Operaton, and of a bare
 * external-task worker that posts the same bodies from the same engine. Then the embedded engine on the same
 * PostgreSQL. JAR is what `.ci/engines` builds.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { secret } from "../attachments/requests.ts";
import { withServer } from "../attachments/servers.ts";
import { type Databases, startDatabases } from "../database.ts";
import { type ServerProcess, startServer } from "../processes.ts";
import { type EngineFigures, printEngineFigures } from "./engineFigures.ts";
import { type Engine, startEngine } from "./engineProcess.ts";
import { type Contestant, type EngineSite, prepareEngineSite } from "./engineSite.ts";
import { type Counted, processorTimeOf } from "./processorTime.ts";
import { prepare } from "./site.ts";

const root = join(import.meta.dir, "../..");
const builtJar = join(process.env.TMPDIR ?? "/tmp", "waybill-ci/engines/operaton/target/engine.jar");
const instances = 150;
/** Rounds end at the first of these limits, but not before the least. On a busy machine that is the time. */
const limits = { rounds: 10, least: 2, seconds: 130 };
const embeddedLimits = { rounds: 10, least: 2, seconds: 40 };

export async function measureBesideEngine(jar = builtJar): Promise<void> {
  if (!existsSync(jar))
    throw new Error(`There is no ${jar}. Run \`bash .ci/engines operaton\`, which builds it.`);
  const databases = await startDatabases();
  try {
    await withServer(start("bench/delivery/receiver.ts"), async (receiver) => {
      const beside = await besideEngine(databases, receiver, jar);
      printEngineFigures({ ...beside, instances, embedded: await embedded(databases, receiver) });
    });
  } finally {
    await databases.stop();
  }
}

type Measured = Pick<EngineFigures, "rounds" | "rates" | "times">;

/** All workers share one engine and take turns. */
async function besideEngine(databases: Databases, receiver: ServerProcess, jar: string): Promise<Measured> {
  const operaton = await databases.create("operaton");
  const engine = await startEngine(jar, operaton);
  try {
    const database = await databases.create("beside");
    return await withServer(startWaybill(database, { ENGINE_URL: engine.url }), (waybill) =>
      withServer(startBareWorker(engine, receiver), async (bare) => {
        const drafts = instances * (limits.rounds + warmUps);
        const site = await prepareEngineSite(database, { engine, waybill, receiver, drafts });
        const processes = { Operaton: engine.pid, Waybill: waybill.pid, "the bare worker": bare.pid };
        const names = { "Operaton's database": operaton, "Waybill's database": database };
        return await inTurns(site, { processes, databases: names });
      }),
    );
  } finally {
    await engine.stop();
  }
}

/** Rounds before the ones that count: the engine's code is compiled in them. */
const warmUps = 2;
const contestants = ["bare", "same", "file"] as const satisfies readonly Contestant[];

async function inTurns(site: EngineSite, counted: Counted): Promise<Measured> {
  const rates: Record<Contestant, number[]> = { bare: [], same: [], file: [] };
  const times = { bare: new Map<string, number>(), same: new Map(), file: new Map() };
  const hasRoom = roomFor(limits);
  let rounds = -warmUps;
  for (; hasRoom(rounds); rounds++)
    for (const contestant of rounds % 2 === 0 ? contestants : contestants.toReversed()) {
      let rate = Number.NaN;
      const spent = await processorTimeOf(counted, async () => {
        rate = await site.run(contestant, instances);
      });
      if (rounds < 0) continue;
      rates[contestant].push(rate);
      const sums = times[contestant];
      for (const [what, ms] of spent) sums.set(what, (sums.get(what) ?? 0) + ms / instances);
    }
  return { rounds, rates, times };
}

/** Whether another round may begin after so many, counted from this call. */
function roomFor({ rounds, least, seconds }: typeof limits): (done: number) => boolean {
  const until = performance.now() + seconds * 1000;
  return (done) => done < least || (done < rounds && performance.now() < until);
}

/** The embedded engine with the same process, as `bun run bench delivery` starts it: until the last request arrives. */
async function embedded(databases: Databases, receiver: ServerProcess): Promise<EngineFigures["embedded"]> {
  const database = await databases.create("embedded");
  return await withServer(startWaybill(database, { ENGINE_URL: "" }), async (waybill) => {
    const drafts = instances * (embeddedLimits.rounds + warmUps);
    const site = await prepare(database, { waybills: [waybill], receiver, instances: drafts });
    const rates = { text: [] as number[], file: [] as number[] };
    const hasRoom = roomFor(embeddedLimits);
    for (let rounds = -warmUps; hasRoom(rounds); rounds++)
      for (const card of ["text", "file"] as const) {
        const startedAt = performance.now();
        await site.startBurst(instances, card);
        if (rounds >= 0) rates[card].push(instances / ((performance.now() - startedAt) / 1000));
      }
    return rates;
  });
}

const start = (script: string, environment: Readonly<Record<string, string>> = {}): Promise<ServerProcess> =>
  startServer({ script: join(root, script), environment });

const startBareWorker = (engine: Engine, receiver: ServerProcess) =>
  start("bench/delivery/bareWorker.ts", { ENGINE: engine.url, RECEIVER: `${receiver.url}/loans` });

const startWaybill = (databaseUrl: string, environment: Readonly<Record<string, string>>) =>
  start("src/main.ts", {
    DATABASE_URL: databaseUrl,
    S3_ENDPOINT: "",
    JWT_SECRET: secret,
    DOWNLOAD_TOKEN_SECRET: `${secret} for downloads`,
    PUBLIC_BASE_URL: "https://files.example",
    OUTBOUND_ALLOW: "127.0.0.1",
    LOG_LEVEL: "warn",
    ...environment,
  });
