/**
 * `bun run reconcile [--repair [--remove-many]] [--adopt]` prints every attachment and stored file whose object is
 * missing, and every object without a file: one a line on standard output, then the counts. Exits with 0 if no
 * difference remains, with 1 if one does, and with 2 if it could not compare.
 *
 * With DATABASE_URL it can run while servers run. An embedded database belongs to its server, so that server must be
 * stopped first.
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
import { prepareServiceRole } from "../infrastructure/database/serviceRole.ts";
import { createLog } from "../infrastructure/log.ts";
import { Problem } from "../infrastructure/problem.ts";
import { completeConfig, wire } from "../wire.ts";

const usage = "usage: bun run reconcile [--repair [--remove-many]] [--adopt]";

interface Options {
  readonly log: Logger;
  readonly repair: boolean;
  /** Allows a repair to remove more than faults usually leave behind. */
  readonly removeMany: boolean;
  /** Gives the database and the storage one identity, if an operator knows that they belong together. */
  readonly adopt: boolean;
}

/** Returns true if no difference remains. */
async function run(config: Config, options: Options): Promise<boolean> {
  if (config.databaseUrl !== undefined) return compare(config.databaseUrl, config, options);
  const database = await startEmbeddedPostgres({ dataDir: config.dataDir, log: options.log });
  try {
    await migrate(database.url, { log: options.log });
    return await compare(await prepareServiceRole(database.url), config, options);
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
  const infrastructure = wire(config, { sql, log });
  try {
    if (adopt) await adoptIdentity(infrastructure);
    await requireIdentity(infrastructure);
    if (repair && !removeMany) await refuseLargeRepair(infrastructure);
    return await print(reconcile(infrastructure, { repair }));
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Prints the differences and the counts. Returns true if no difference remains. */
async function print(findings: AsyncIterable<Finding>): Promise<boolean> {
  const counts = new Map<string, { found: number; repaired: number }>();
  for await (const finding of findings) {
    const count = counts.get(kindOf(finding)) ?? { found: 0, repaired: 0 };
    count.found++;
    if (finding.repaired) count.repaired++;
    counts.set(kindOf(finding), count);
    console.log(lineOf(finding));
  }
  for (const [kind, { found, repaired }] of counts) console.log(`${kind}: ${found}, repaired: ${repaired}`);
  const remaining = [...counts.values()].some(({ found, repaired }) => found > repaired);
  console.log(remaining ? "Some differences remain." : "Objects and rows agree.");
  return !remaining;
}

const kindOf = (finding: Finding) =>
  finding.kind === "row without object" ? `${finding.state} ${finding.kind}` : finding.kind;

function lineOf(finding: Finding): string {
  const name = finding.kind === "row without object" ? `${finding.tenantId}/${finding.id}` : finding.key;
  return `${kindOf(finding)}: ${name}${finding.repaired ? " (repaired)" : ""}`;
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
  // parseArgs throws it for an unknown option.
  const isMisuse = error instanceof TypeError && "code" in error;
  return isMisuse ? `${error.message}\n${usage}` : error;
}
