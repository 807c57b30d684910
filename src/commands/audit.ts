/**
 * `bun run audit verify [--tenant SLUG] [--file FILE] [--digest NUMBER:HEX]` prints every audit record that was
 * changed, removed or added. `bun run audit export --tenant SLUG` prints a trail as lines of JSON, which `--file`
 * verifies without the server. `--digest` names a checkpoint that was written down earlier, and must still be in the
 * trail.
 *
 * Exits with 0 if nothing was changed, with 1 if something was, and with 2 if it could not verify.
 *
 * With DATABASE_URL it can run while servers run. An embedded database belongs to its server, so that server must be
 * stopped first.
 */
import { createReadStream } from "node:fs";
import { parseArgs } from "node:util";
import { type Config, ConfigError, parseConfig } from "../infrastructure/config.ts";
import { connect, type Sql } from "../infrastructure/database/connect.ts";
import { startEmbeddedPostgres } from "../infrastructure/database/embedded.ts";
import { migrate } from "../infrastructure/database/migrate.ts";
import { prepareServiceRole } from "../infrastructure/database/serviceRole.ts";
import { createLog } from "../infrastructure/log.ts";
import { pluralize } from "../infrastructure/pluralize.ts";
import { exportTrail, verifyLines } from "../tenants/auditTrail/export.ts";
import type { Checkpoint, TrailFault } from "../tenants/auditTrail/judge.ts";
import { countUncovered } from "../tenants/auditTrail/queries.ts";
import { verifyTrail } from "../tenants/auditTrail/verify.ts";
import { schemaOf } from "../tenants/tenant.ts";

const usage = `usage: bun run audit verify [--tenant SLUG] [--file FILE] [--digest NUMBER:HEX]
       bun run audit export --tenant SLUG`;

class Misuse extends Error {}

interface Options {
  readonly tenant: string | undefined;
  readonly file: string | undefined;
  /** A checkpoint that somebody wrote down. */
  readonly expected: { readonly number: string; readonly digest: string } | undefined;
}

interface Verdict {
  readonly checkpoint: Checkpoint | undefined;
  readonly faults: readonly TrailFault[];
}

/** Returns true if nothing was changed. */
async function run(command: string | undefined, options: Options): Promise<boolean> {
  if (command === "export" && options.tenant) return onDatabase((sql) => printTrail(sql, options));
  if (command !== "verify" || (options.file && options.tenant)) throw new Misuse(usage);
  if (options.file) return verifyFile(options.file, options);
  if (options.expected && !options.tenant) throw new Misuse("--digest needs --tenant or --file");
  return onDatabase((sql) => verifyTenants(sql, options));
}

async function onDatabase<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
  const config = parseConfig(process.env, process.cwd());
  if (config.databaseUrl !== undefined) return connected(config.databaseUrl, work);
  return onEmbedded(config, work);
}

async function onEmbedded<T>({ dataDir }: Config, work: (sql: Sql) => Promise<T>): Promise<T> {
  const log = createLog("warn");
  const database = await startEmbeddedPostgres({ dataDir, log });
  try {
    await migrate(database.url, { log });
    return await connected(await prepareServiceRole(database.url), work);
  } finally {
    await database.stop();
  }
}

async function connected<T>(url: string, work: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = connect(url, { max: 2 });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

async function printTrail(sql: Sql, options: Options): Promise<boolean> {
  for (const { schema } of await tenantsOf(sql, options))
    for await (const line of exportTrail(sql, schema)) await write(`${line}\n`);
  return true;
}

/** Waits for a slow reader, so that a long trail does not fill the memory. */
const write = (text: string) =>
  new Promise<void>((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });

async function verifyTenants(sql: Sql, options: Options): Promise<boolean> {
  let intact = true;
  for (const { slug, schema } of await tenantsOf(sql, options)) {
    const verified = await report(`tenant ${slug}`, verifyTrail(sql, schema), options);
    console.log(
      `tenant ${slug}: ${pluralize(await countUncovered(sql, schema), "record")} without a checkpoint yet`,
    );
    intact &&= verified;
  }
  return intact;
}

async function tenantsOf(sql: Sql, { tenant = null }: { readonly tenant?: string | null | undefined }) {
  const found = await sql<{ id: number; slug: string }[]>`
    select id::float8 as id, slug
    from waybill.tenants
    where ${tenant}::text is null
       or slug = ${tenant}
    order by id`;
  if (found.length === 0 && tenant) throw new Misuse(`There is no tenant with the slug "${tenant}".`);
  return found.map(({ id, slug }) => ({ slug, schema: schemaOf(id) }));
}

const verifyFile = (file: string, options: Options) => report(file, verifyLines(linesOf(file)), options);

/** Only a line feed ends a line: JSON texts can contain the other characters that end one elsewhere. */
async function* linesOf(file: string): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of createReadStream(file, "utf8")) {
    const lines = `${rest}${chunk}`.split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}

/** Prints the faults, then one line about the trail. Returns true if there are none. */
async function report(
  name: string,
  verdicts: AsyncIterable<Verdict>,
  { expected }: Options,
): Promise<boolean> {
  let [checkpoints, records, faults] = [0, 0, 0];
  let last: Checkpoint | undefined;
  let meets = expected === undefined;
  for await (const { checkpoint, faults: found } of verdicts) {
    for (const fault of found) console.log(`${name}: ${lineOf(fault)}`);
    faults += found.length;
    if (!checkpoint) continue;
    checkpoints++;
    records += Number(checkpoint.records);
    last = checkpoint;
    meets ||= checkpoint.number === expected?.number && hex(checkpoint.digest) === expected.digest;
  }
  if (!meets) console.log(`${name}: checkpoint ${expected?.number} with this digest is not in the trail`);
  const counts = `${pluralize(records, "record")} in ${pluralize(checkpoints, "checkpoint")}`;
  const intact = faults === 0 && meets;
  console.log(`${name}: ${counts}, ${intact ? "intact" : `${pluralize(faults, "fault")}`}`);
  if (last) console.log(`${name}: last checkpoint ${last.number}:${hex(last.digest)}`);
  return intact;
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

const sentences = {
  record_changed: "was changed",
  record_removed: "was removed",
  record_added: "was added",
  checkpoint_changed: "was changed, or does not belong after the one before",
  checkpoint_removed: "was removed",
} as const;

const lineOf = ({ kind, id }: TrailFault) => `${kind.split("_")[0]} ${id} ${sentences[kind]}`;

function expectedOf(text: string | undefined): Options["expected"] {
  if (text === undefined) return undefined;
  const [, number, digest] = /^(\d+):([0-9a-f]{64})$/i.exec(text) ?? [];
  if (!number || !digest) throw new Misuse("--digest takes NUMBER:HEX, as the command prints it");
  return { number, digest: digest.toLowerCase() };
}

try {
  const text = { type: "string" } as const;
  const { values, positionals } = parseArgs({
    options: { tenant: text, file: text, digest: text },
    allowPositionals: true,
  });
  const { tenant, file, digest } = values;
  process.exitCode = (await run(positionals[0], { tenant, file, expected: expectedOf(digest) })) ? 0 : 1;
} catch (error) {
  console.error(explain(error));
  process.exitCode = 2;
}

function explain(error: unknown): unknown {
  if (error instanceof ConfigError || error instanceof Misuse) return error.message;
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return error.message;
  if (error instanceof SyntaxError) return `The file is not an exported audit trail: ${error.message}`;
  // parseArgs throws it for an unknown option.
  const isMisuse = error instanceof TypeError && "code" in error;
  return isMisuse ? `${error.message}\n${usage}` : error;
}
