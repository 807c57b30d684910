/**
 * Exports rows: one COPY, from one snapshot of the table, sent while it runs. The first piece is there before the
 * answer begins, so a statement that cannot run is an ordinary Problem.
 */
import type { ByteStream } from "../../infrastructure/byteStream.ts";
import type { Tx } from "../../infrastructure/database/connect.ts";
import type { Copies } from "../../infrastructure/database/copy.ts";
import type { Infrastructure } from "../../infrastructure/infrastructure.ts";
import type { Problem } from "../../infrastructure/problem.ts";
import { takeTransfer } from "../../infrastructure/transfers.ts";
import { withTimeout } from "../../infrastructure/withTimeout.ts";
import type { Definition } from "../definition.ts";
import { stale } from "../definitionCache.ts";
import { tooSlow } from "../reading/runRead.ts";
import { csvRewriter, lineCollector, piecesOf } from "./exportPieces.ts";
import {
  type ExportFormat,
  type ExportQuery,
  type ExportStatement,
  exportStatement,
  momentsOf,
  setSettings,
} from "./exportSql.ts";

/** After the limit of an export has passed, until its connection is closed from outside. */
const graceSeconds = 60;

const snapshot = "isolation level repeatable read read only";

type Pieces = AsyncGenerator<Uint8Array<ArrayBuffer>>;

/** The rows as a stream, or `stale` if the registry no longer has the definition. */
export async function exportRows(
  deps: Infrastructure,
  definition: Definition,
  query: ExportQuery,
): Promise<ByteStream | typeof stale> {
  const { sql, transfers, config } = deps;
  const opened = Promise.withResolvers<ByteStream | typeof stale>();
  const leave = await takeTransfer(transfers, definition.tenant.id);
  const seconds = config.transferTimeoutSeconds;
  sql
    .transfer({ seconds: seconds + graceSeconds, mode: snapshot }, async (tx, copies) => {
      const limit = setTimeout(copies.abandon, seconds * 1000);
      try {
        const sending = await begin(deps, { definition, query, tx, copies, refuse: opened.reject });
        opened.resolve(sending);
        if (sending !== stale) await sending.ended;
      } finally {
        clearTimeout(limit);
      }
    })
    .catch(opened.reject)
    .finally(leave);
  return opened.promise;
}

interface Beginning {
  readonly definition: Definition;
  readonly query: ExportQuery;
  readonly tx: Tx;
  readonly copies: Copies;
  /** Answers the request. Called before the connection is closed, whose loss is an error as well. */
  readonly refuse: (problem: Problem) => void;
}

/** Starts COPY and waits for its first rows. Refuses with `query_too_slow`. */
async function begin({ config, log }: Infrastructure, beginning: Beginning) {
  const { definition, query, tx, copies, refuse } = beginning;
  const statement = exportStatement(definition, query);
  if (!(await isCurrent(tx, statement))) return stale;
  const open = async () => {
    const pieces = piecesOf(await copies.out(statement.copy), rewriterOf(definition, query, statement));
    return { pieces, first: await pieces.next() };
  };
  const seconds = config.tablesStatementTimeoutSeconds;
  // The limit of every read. PostgreSQL does not even say that COPY has begun before there are rows to send.
  const onTimeout = () => {
    const problem = tooSlow(seconds);
    refuse(problem);
    copies.abandon();
    throw problem;
  };
  const { pieces, first } = await withTimeout(open(), { ms: seconds * 1000, onTimeout });
  return send(first, pieces, { copies, log });
}

/** What a browser needs to save the file. */
export const exportHeaders = (table: string, format: ExportFormat) => ({
  "Content-Type": format === "text/csv" ? "text/csv; charset=utf-8; header=present" : format,
  "Content-Disposition": `attachment; filename="${table}.${format === "text/csv" ? "csv" : "ndjson"}"`,
  Vary: "Accept",
});

/** Locks the table first. Its snapshot, which the first statement after that takes, has whatever was changed before. */
async function isCurrent(tx: Tx, { lock, current, settings }: ExportStatement): Promise<boolean> {
  // PostgreSQL notices a client that has gone while it sorts or filters.
  await tx`set local client_connection_check_interval = '10s'`;
  await tx.unsafe(lock);
  const text = setSettings(settings);
  if (text !== undefined) await tx.unsafe(text, [...settings]);
  return (await tx.unsafe(current)).length > 0;
}

const rewriterOf = (definition: Definition, { format }: ExportQuery, { columns }: ExportStatement) =>
  format === "text/csv" ? csvRewriter(columns, momentsOf(definition, columns)) : lineCollector();

interface Sending extends Pick<Infrastructure, "log"> {
  readonly copies: Copies;
}

function send(first: IteratorResult<Uint8Array>, pieces: Pieces, { copies, log }: Sending): ByteStream {
  const ended = Promise.withResolvers<void>();
  let next: Promise<IteratorResult<Uint8Array>> = Promise.resolve(first);
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    try {
      const { done, value } = await next;
      if (done) {
        ended.resolve();
        return controller.close();
      }
      next = pieces.next();
      next.catch(() => {});
      controller.enqueue(value);
    } catch (err) {
      log.error({ err }, "Export broke off");
      ended.resolve();
      throw err;
    }
  };
  const cancel = () => {
    copies.abandon();
    ended.resolve();
  };
  return {
    byteStream: new ReadableStream<Uint8Array>({ pull, cancel }, { highWaterMark: 0 }),
    ended: ended.promise,
  };
}
