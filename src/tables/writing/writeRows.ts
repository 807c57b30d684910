/** Inserts, updates and deletes rows: checks the whole request, then writes rows and audit record in one round trip. */
import type { AffectedRowsAnswer } from "../../generated/schemas.ts";
import { maxRowBytes } from "../../infrastructure/database/boundedList.ts";
import type { Infrastructure } from "../../infrastructure/infrastructure.ts";
import type { Written } from "../../infrastructure/jsonText.ts";
import { pluralize } from "../../infrastructure/pluralize.ts";
import type { Fault } from "../../infrastructure/problem.ts";
import type { Caller } from "../../tenants/caller.ts";
import type { Definition } from "../definition.ts";
import { stale, withDefinition } from "../definitionCache.ts";
import { runWrite, type WriteResult } from "../queries.ts";
import type { Statement } from "../statement.ts";
import { refuse, type ValueFault } from "../values.ts";
import { type ReturnPreference, returnPreference } from "./preference.ts";
import { refuseData } from "./refuseData.ts";
import type { WriteOptions } from "./statements.ts";

interface WriteRequest {
  readonly params: { readonly table: string };
  readonly headers: { readonly prefer?: string };
  readonly caller: Caller;
  readonly requestId: string;
  /** The faults that the contract's schema found. */
  readonly faults: readonly Fault[];
}

interface Write {
  readonly participle: "inserted" | "updated" | "deleted";
  /** The faults that need the table's definition. */
  readonly faults: (definition: Definition) => ValueFault[];
  /** Called only if there are no faults. */
  readonly statement: (definition: Definition, options: WriteOptions) => Statement;
  /** Rows of an insert. Of more than `mostIds` rows, the answer tells no ids. */
  readonly rows?: number;
}

const mostIds = 1_000;

interface WriteAnswer {
  readonly body: Written<AffectedRowsAnswer>;
  readonly headers: Readonly<Record<string, string>>;
  /** The answer without the rows. */
  readonly smaller?: Omit<WriteAnswer, "smaller">;
}

export async function writeRows(
  request: WriteRequest,
  { sql, caches }: Infrastructure,
  write: Write,
): Promise<WriteAnswer> {
  const { caller, params, requestId } = request;
  const target = { tenant: caller.tenant, table: params.table };
  const authorship = { actor: caller.subject, requestId };
  const preference = returnPreference(request.headers.prefer);
  const wanted = wantedOf(write, preference);
  const result = await withDefinition({ sql, caches }, target, async (definition) => {
    refuse([...request.faults, ...write.faults(definition)]);
    const statement = write.statement(definition, { authorship, wanted });
    return (await runWrite(sql, statement).catch(refuseData)) ?? stale;
  });
  return answerOf(result, write, preference);
}

const wantedOf = ({ rows: count }: Write, preference: ReturnPreference | undefined) => ({
  ids: count !== undefined && count <= mostIds && preference !== "minimal",
  rows: preference === "representation" ? { maxBytes: maxRowBytes } : undefined,
});

/** If the rows are too large for an answer, it has none: the change is made, and a preference is no more than that. */
function answerOf(result: WriteResult, write: Write, preference: ReturnPreference | undefined): WriteAnswer {
  const { ids = null, rows = null } = result;
  const body = {
    success: true,
    message: messageOf(result, write),
    data: {
      affected_rows: Number(result.affected),
      ...(result.inserted === undefined ? {} : { inserted_rows: Number(result.inserted) }),
      ...(ids === null ? {} : { ids: { jsonText: ids } }),
    },
  } as const;
  const headers = preference === "minimal" ? applied("minimal") : {};
  if (rows === null) return { body, headers };
  const whole = { ...body, data: { ...body.data, rows: { jsonText: `[${rows}]` } } };
  return { body: whole, headers: applied("representation"), smaller: { body, headers } };
}

const applied = (preference: ReturnPreference) => ({ "Preference-Applied": `return=${preference}` });

function messageOf({ affected, inserted }: WriteResult, { participle }: Write): string {
  if (inserted === undefined) return `${said(Number(affected), participle)}.`;
  const updated = Number(affected) - Number(inserted);
  return `${said(Number(inserted), "inserted")}, ${said(updated, "updated")}.`;
}

const said = (count: number, participle: string) =>
  `${pluralize(count, "row")} ${count === 1 ? "was" : "were"} ${participle}`;
