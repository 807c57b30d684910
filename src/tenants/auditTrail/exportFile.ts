/** Audit records as a file: CSV, lines of JSON, or the whole trail with its checkpoints. */
import type { AuditRecord } from "../../generated/schemas.ts";
import { type ByteStream, streamTexts } from "../../infrastructure/byteStream.ts";
import { csvLine, withoutFormula } from "../../infrastructure/csv.ts";
import { inLane } from "../../infrastructure/database/lanes.ts";
import type { Infrastructure } from "../../infrastructure/infrastructure.ts";
import { takeTransfer } from "../../infrastructure/transfers.ts";
import type { Tenant } from "../tenant.ts";
import { exportTrail } from "./export.ts";
import { recordMembers } from "./hashes.ts";
import { type AuditFilters, readRecords } from "./listRecords.ts";

type Deps = Pick<Infrastructure, "sql" | "transfers" | "log">;

export interface RecordsFile {
  readonly filters: AuditFilters;
  readonly format: "text/csv" | "application/x-ndjson";
  /** Whether cells of CSV that a spreadsheet would run are escaped. */
  readonly safe: boolean;
}

/** The records that match. Throws `busy` if too many files are on their way. */
export const exportRecordsFile = (deps: Deps, tenant: Tenant, { filters, format, safe }: RecordsFile) =>
  sendTexts(deps, tenant, csvOrLines(readRecords(deps.sql, tenant.schema, filters), { format, safe }));

/** The trail as `bun run audit export` prints it. */
export const exportTrailFile = (deps: Deps, tenant: Tenant) =>
  sendTexts(deps, tenant, withLineFeeds(exportTrail(deps.sql, tenant.schema)));

async function* csvOrLines(
  pages: ReturnType<typeof readRecords>,
  { format, safe }: Pick<RecordsFile, "format" | "safe">,
): AsyncGenerator<string> {
  const isCsv = format === "text/csv";
  const cell = (value: string | number | null) =>
    typeof value === "string" && safe ? withoutFormula(value) : value === null ? null : String(value);
  const lineOf = (record: AuditRecord) =>
    isCsv ? csvLine(recordMembers.map((name) => cell(record[name]))) : `${JSON.stringify(record)}\n`;
  let head = isCsv ? csvLine(recordMembers) : "";
  for await (const page of pages) {
    yield `${head}${page.map(lineOf).join("")}`;
    head = "";
  }
}

async function* withLineFeeds(lines: AsyncGenerator<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}

/** The first text is there before the answer begins, so a statement that cannot run is an ordinary Problem. */
async function sendTexts(
  { transfers, log }: Deps,
  tenant: Tenant,
  texts: AsyncGenerator<string>,
): Promise<ByteStream> {
  const leave = await takeTransfer(transfers, tenant.id);
  try {
    const stream = streamTexts(await begun(inLaneOf(tenant, texts)), (err) =>
      log.error({ err }, "Export of the audit trail broke off"),
    );
    stream.ended.finally(leave);
    return stream;
  } catch (error) {
    leave();
    throw error;
  }
}

/** A stream is read outside of the request. */
async function* inLaneOf(tenant: Tenant, texts: AsyncGenerator<string>): AsyncGenerator<string> {
  try {
    for (;;) {
      const next = await inLane({ kind: "request", tenant: tenant.id }, () => texts.next());
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await texts.return(undefined);
  }
}

async function begun(texts: AsyncGenerator<string>): Promise<AsyncGenerator<string>> {
  const first = await texts.next();
  return (async function* () {
    if (!first.done) yield first.value;
    yield* texts;
  })();
}

/** What a browser needs to save the file. */
export const fileHeaders = (name: string, format: RecordsFile["format"]) => ({
  "Content-Type": format === "text/csv" ? "text/csv; charset=utf-8; header=present" : format,
  "Content-Disposition": `attachment; filename="${name}.${format === "text/csv" ? "csv" : "ndjson"}"`,
  Vary: "Accept",
});
