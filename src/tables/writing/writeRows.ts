/** Inserts, updates and deletes rows: checks the whole request, then writes rows and audit record in one round trip. */
import type { AffectedRowsAnswer } from "../../generated/schemas.ts";
import { maxRowBytes } from "../../infrastructure/database/boundedList.ts";
import type { Queryable } from "../../infrastructure/database/connect.ts";
import type { Infrastructure } from "../../infrastructure/infrastructure.ts";
import type { Written } from "../../infrastructure/jsonText.ts";
import { pluralize } from "../../infrastructure/pluralize.ts";
import type { Fault } from "../../infrastructure/problem.ts";
import type { Caller } from "../../tenants/caller.ts";
import { type IdempotentRequest, maxKeptBytes } from "../../tenants/idempotency/keys.ts";
import { changeOnce } from "../../tenants/idempotency/once.ts";
import type { Definition } from "../definition.ts";
import { stale, withDefinition } from "../definitionCache.ts";
import { runWrite, type WriteResult } from "../queries.ts";
import type { Statement } from "../statement.ts";
import { refuse, type ValueFault } from "../values.ts";
import { rowTag } from "./etags.ts";
import { guardOf, notChanged, type OneRow } from "./oneRow.ts";
import { type ReturnPreference, returnPreference } from "./preference.ts";
import { refuseData } from "./refuseData.ts";
import type { WriteOptions } from "./statements.ts";

interface WriteRequest {
  readonly params: { readonly table: string };
  readonly headers: { readonly prefer?: string; readonly "if-match"?: string };
  readonly caller: Caller;
  readonly requestId: string;
  readonly idempotency?: IdempotentRequest | undefined;
  /** The faults that the contract's schema found. */
  readonly faults: readonly Fault[];
}

interface Write<Status> {
  /** Of the answer to a success. */
  readonly status: Status;
  readonly participle: "inserted" | "updated" | "deleted";
  /** The faults that need the table's definition. */
  readonly faults: (definition: Definition) => ValueFault[];
  /** Called only if there are no faults. */
  readonly statement: (definition: Definition, options: WriteOptions) => Statement;
  /** The one row that the request is about, if it has to be there. */
  readonly row?: OneRow | undefined;
  /** Rows of an insert. Of more than `mostIds` rows, the answer tells no ids. */
  readonly rows?: number;
}

const mostIds = 1_000;

interface WriteAnswer<Status> {
  readonly status: Status;
  readonly body: Written<AffectedRowsAnswer>;
  readonly headers: Readonly<Record<string, string>>;
  /** The answer without the rows. */
  readonly smaller?: Pick<WriteAnswer<Status>, "body" | "headers">;
}

/** One round trip. With an idempotency key it is a transaction, because the answer is kept with the change. */
export async function writeRows<Status extends 200 | 201>(
  request: WriteRequest,
  { sql, caches }: Infrastructure,
  write: Write<Status>,
): Promise<WriteAnswer<Status>> {
  const { caller, params, requestId, idempotency } = request;
  const target = { tenant: caller.tenant, table: params.table };
  const authorship = { actor: caller.subject, requestId };
  const preference = returnPreference(request.headers.prefer);
  const wanted = wantedOf(write, preference, idempotency ? maxKeptBytes : maxRowBytes);
  return withDefinition({ sql, caches }, target, async (definition) => {
    refuse([...request.faults, ...write.faults(definition)]);
    const guard = write.row && guardOf(write.row);
    const statement = write.statement(definition, { authorship, wanted, guard });
    const run = async (on: Queryable) => {
      const result = await runWrite(sql, statement, on).catch(refuseData);
      if (!result) throw new DefinitionGone();
      if (write.row && result.affected === "0") throw await notChanged(sql, definition, write.row);
      return answerOf(result, write, preference);
    };
    const written = idempotency ? changeOnce(sql, idempotency, run) : run(sql);
    return written.catch((error) => {
      if (error instanceof DefinitionGone) return stale;
      throw error;
    });
  });
}

/** Rolls back what a transaction has done for a table that is another one by now. */
class DefinitionGone extends Error {
  override readonly name = "DefinitionGone";
}

const wantedOf = (
  { rows: count }: Pick<Write<unknown>, "rows">,
  preference: ReturnPreference | undefined,
  maxBytes: number,
) => ({
  ids: count !== undefined && count <= mostIds && preference !== "minimal",
  rows: preference === "representation" ? { maxBytes } : undefined,
});

/** If the rows are too large for an answer, it has none: the change is made, and a preference is no more than that. */
function answerOf<Status>(
  result: WriteResult,
  write: Write<Status>,
  preference: ReturnPreference | undefined,
): WriteAnswer<Status> {
  const { ids = null, rows = null } = result;
  const { status } = write;
  const body = {
    success: true,
    message: messageOf(result, write),
    data: {
      affected_rows: Number(result.affected),
      ...(result.inserted === undefined ? {} : { inserted_rows: Number(result.inserted) }),
      ...(ids === null ? {} : { ids: { jsonText: ids } }),
    },
  } as const;
  const { row } = write;
  const tag: Record<string, string> = row && result.tag ? { ETag: rowTag(row.id, result.tag) } : {};
  const headers = { ...tag, ...(preference === "minimal" ? applied("minimal") : {}) };
  if (rows === null) return { status, body, headers };
  const whole = { ...body, data: { ...body.data, rows: { jsonText: `[${rows}]` } } };
  return {
    status,
    body: whole,
    headers: { ...tag, ...applied("representation") },
    smaller: { body, headers },
  };
}

const applied = (preference: ReturnPreference) => ({ "Preference-Applied": `return=${preference}` });

function messageOf(
  { affected, inserted }: WriteResult,
  { participle }: Pick<Write<unknown>, "participle">,
): string {
  if (inserted === undefined) return `${said(Number(affected), participle)}.`;
  const updated = Number(affected) - Number(inserted);
  return `${said(Number(inserted), "inserted")}, ${said(updated, "updated")}.`;
}

const said = (count: number, participle: string) =>
  `${pluralize(count, "row")} ${count === 1 ? "was" : "were"} ${participle}`;
