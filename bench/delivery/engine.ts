/**
 * `bun run bench delivery --engine [JAR]`: service tasks a second of Waybill beside Operaton, and of a bare
 * external-task worker that posts bodies of the same size from the same engine. Then the embedded engine on the same
 * PostgreSQL. JAR is what `.ci/engines` builds.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { secret } from "../attachments/requests.ts";
import { withServer } from "../attachments/servers.ts";
import { type Databases, startDatabases } from "../database.ts";
import { markdownTable, round, verdict } from "../markdown.ts";
import { type ServerProcess, startServer } from "../processes.ts";
import { type Engine, startEngine } from "./engineProcess.ts";
import { type EngineSite, prepareEngineSite } from "./engineSite.ts";
import { prepare } from "./site.ts";

const root = join(import.meta.dir, "../..");
const builtJar = join(process.env.TMPDIR ?? "/tmp", "waybill-ci/engines/operaton/target/engine.jar");
const instances = 300;
const rounds = 4;
const aims = { besideBare: 0.8, embedded: 3 };

export async function measureBesideEngine(jar = builtJar): Promise<void> {
  if (!existsSync(jar))
    throw new Error(`There is no ${jar}. Run \`bash .ci/engines operaton\`, which builds it.`);
  const databases = await startDatabases();
  try {
    await withServer(start("bench/delivery/receiver.ts"), async (receiver) => {
      const beside = await besideEngine(databases, receiver, jar);
      print({ ...beside, embedded: await embedded(databases, receiver) });
    });
  } finally {
    await databases.stop();
  }
}

interface Rates {
  /** Instances a second, from the first start to the last end. */
  readonly waybill: number;
  readonly bare: number;
}

/** The two workers take turns on one engine: bare, Waybill, Waybill, bare, … */
async function besideEngine(databases: Databases, receiver: ServerProcess, jar: string): Promise<Rates> {
  const engine = await startEngine(jar, await databases.create("operaton"));
  try {
    const database = await databases.create("beside");
    return await withServer(startWaybill(database, { ENGINE_URL: engine.url }), (waybill) =>
      withServer(startBareWorker(engine, receiver), async () => {
        const drafts = instances * (rounds + 1);
        const site = await prepareEngineSite(database, { engine, waybill, receiver, drafts });
        return await inTurns(site);
      }),
    );
  } finally {
    await engine.stop();
  }
}

async function inTurns(site: EngineSite): Promise<Rates> {
  const rates = { waybill: [] as number[], bare: [] as number[] };
  for (let round = 0; round <= rounds; round++) {
    const order = round % 2 === 0 ? (["bare", "waybill"] as const) : (["waybill", "bare"] as const);
    for (const worker of order) {
      const rate = await site.run(worker, instances);
      // The first round warms both up.
      if (round > 0) rates[worker].push(rate);
    }
  }
  return { waybill: median(rates.waybill), bare: median(rates.bare) };
}

/** The embedded engine with the same process, as `bun run bench delivery` starts it. */
async function embedded(databases: Databases, receiver: ServerProcess): Promise<number> {
  const database = await databases.create("embedded");
  return await withServer(startWaybill(database, { ENGINE_URL: "" }), async (waybill) => {
    const drafts = instances * (rounds + 1);
    const site = await prepare(database, { waybills: [waybill], receiver, instances: drafts });
    await site.startBurst(instances);
    const rates: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const startedAt = performance.now();
      await site.startBurst(instances);
      rates.push(instances / ((performance.now() - startedAt) / 1000));
    }
    return median(rates);
  });
}

function print({ waybill, bare, embedded }: Rates & { readonly embedded: number }): void {
  const rate = (value: number) => `${round(value, 0)}/s`;
  const [beside, faster] = [waybill / bare, embedded / bare];
  console.log(
    markdownTable(
      [`${instances} instances, the median of ${rounds} rounds`, "figure", "aim"],
      [
        ["Operaton with a bare external-task worker", rate(bare), ""],
        ["Operaton with one process of Waybill", rate(waybill), ""],
        ["ratio", round(beside, 2), `${aims.besideBare}: ${verdict(beside >= aims.besideBare)}`],
        ["the embedded engine, one process", rate(embedded), ""],
        [
          "by Operaton with the bare worker",
          round(faster, 1),
          `${aims.embedded}: ${verdict(faster >= aims.embedded)}`,
        ],
      ],
    ),
  );
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

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
