/**
 * `bun run reconcile [--repair [--remove-many]] [--adopt]`: files whose object is gone and objects that no file has, attachments as well as stored
 * files, one a line on standard output, then how many. Ends with 0 where nothing is left, 1 where something is, 2 where
 * it could not look.
 *
 * Beside running servers it works on the database that DATABASE_URL names; an embedded one belongs to its server, so
 * that server has to be stopped first.
 */
import { parseArgs } from "node:util";
import type { Logger } from "pino";
import { type Finding, reconcile } from "../files/maintenance/reconcile.ts";
import { RepairTooLarge, refuseLargeRepair } from "../files/maintenance/repairLimit.ts";
import { adoptIdentity, requireIdentity, StorageMismatch } from "../files/maintenance/storageIdentity.ts";
import { type Config, ConfigError, parseConfig } from "../infrastructure/config.ts";
import { connect } from "../infrastructure/database/connect.ts";
import { startEmbeddedPostgres } from "../infrastructure/database/embedded.ts";
import { migrate } from "../infrastructure/database/migrate.ts";
import { createLog } from "../infrastructure/log.ts";
import { Problem } from "../infrastructure/problem.ts";
import { completeConfig, wire } from "../wire.ts";

const usage = "usage: bun run reconcile [--repair [--remove-many]] [--adopt]";

interface Options {
  readonly log: Logger;
  readonly repair: boolean;
  /** Lets a repair remove more than faults leave behind. */
  readonly removeMany: boolean;
  /** Says that the database and the storage belong together, where they do not know it. */
  readonly adopt: boolean;
}

/** Answers whether nothing is left to do. */
async function run(config: Config, options: Options): Promise<boolean> {
  if (config.databaseUrl !== undefined) return compare(config.databaseUrl, config, options);
  const database = await startEmbeddedPostgres({ dataDir: config.dataDir, log: options.log });
  try {
    await migrate(database.url, { log: options.log });
    return await compare(database.url, config, options);
  } finally {
    await database.stop();
  }
}

async function compare(
  url: string,
  config: Config,
  { log, repair, removeMany, adopt }: Options,
): Promise<boolean> {
  const sql = connect(url, { max: 2 });
  const parts = wire(config, { sql, log });
  try {
    if (adopt) await adoptIdentity(parts);
    await requireIdentity(parts);
    if (repair && !removeMany) await refuseLargeRepair(parts);
    const counts = new Map<string, { found: number; repaired: number }>();
    for await (const finding of reconcile(parts, { repair })) {
      const count = counts.get(kindOf(finding)) ?? { found: 0, repaired: 0 };
      count.found++;
      if (finding.repaired) count.repaired++;
      counts.set(kindOf(finding), count);
      console.log(lineOf(finding));
    }
    for (const [kind, { found, repaired }] of counts) console.log(`${kind}: ${found}, repaired: ${repaired}`);
    const left = [...counts.values()].some(({ found, repaired }) => found > repaired);
    console.log(left ? "Something is left to do." : "Objects and rows agree.");
    return !left;
  } finally {
    await sql.end({ timeout: 5 });
  }
}

const kindOf = (finding: Finding) =>
  finding.kind === "row without object" ? `${finding.state} ${finding.kind}` : finding.kind;

function lineOf(finding: Finding): string {
  const what = finding.kind === "row without object" ? `${finding.tenantId}/${finding.id}` : finding.key;
  return `${kindOf(finding)}: ${what}${finding.repaired ? " (repaired)" : ""}`;
}

try {
  const flag = { type: "boolean", default: false } as const;
  const { values } = parseArgs({ options: { repair: flag, "remove-many": flag, adopt: flag } });
  const config = await completeConfig(parseConfig(process.env, process.cwd()));
  const { repair, adopt, "remove-many": removeMany } = values;
  process.exit((await run(config, { log: createLog("warn"), repair, removeMany, adopt })) ? 0 : 1);
} catch (error) {
  console.error(explain(error));
  process.exit(2);
}

function explain(error: unknown): unknown {
  if (error instanceof ConfigError || error instanceof StorageMismatch || error instanceof RepairTooLarge)
    return error.message;
  if (error instanceof Problem)
    return `${error.message} ${(error.cause as Error | undefined)?.message ?? ""}`;
  // Of parseArgs.
  const misused = error instanceof TypeError && "code" in error;
  return misused ? `${error.message}\n${usage}` : error;
}
