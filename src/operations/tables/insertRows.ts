import type { Deps } from "../../deps.ts";
import type { NewRows } from "../../generated/schemas.ts";
import type { AnswerOf, Handler, RequestOf } from "../../handler.ts";
import { pluralize } from "../../infrastructure/pluralize.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { importRows } from "../../tables/bulk/importRows.ts";
import { withDefinition } from "../../tables/definitionCache.ts";
import { rowFaults } from "../../tables/values.ts";
import { insertRows as insertStatement } from "../../tables/writing/statements.ts";
import { conflictFaults } from "../../tables/writing/upsert.ts";
import { writeRows } from "../../tables/writing/writeRows.ts";

/** Rows of JSON, or a file of rows. */
export const insertRows: Handler<"insertRows"> = (request, deps) =>
  request.file ? importFile(request, request.file, deps) : insertJson(request, deps);

type Request = RequestOf<"insertRows">;
type Answer = AnswerOf<"insertRows">;

/** All rows go in one statement with one parameter, so the request succeeds or fails as a whole. */
async function insertJson(request: Request, deps: Deps): Promise<Answer> {
  refuseFileParameters(request.query);
  const given = request.body as Partial<NewRows> | null;
  return writeRows(request, deps, {
    status: 201,
    participle: "inserted",
    rows: Array.isArray(given?.rows) ? given.rows.length : 0,
    faults: (definition) => [...rowFaults(definition, given?.rows), ...conflictFaults(definition, given)],
    statement: (definition, options) => {
      const { rows, on_conflict: onConflict } = given as NewRows;
      return insertStatement(definition, { rows, onConflict }, options);
    },
  });
}

async function importFile(request: Request, file: NonNullable<Request["file"]>, deps: Deps): Promise<Answer> {
  const { caller, params, query, requestId, idempotency } = request;
  const { $dry_run: dryRun = false, $decimal, $skip = "" } = query;
  const options = { decimalComma: $decimal === "comma", skip: new Set($skip.split(",")) };
  const authorship = { actor: caller.subject, requestId };
  const once = idempotency && {
    request: idempotency,
    answerOf: (rows: number) => importAnswer(rows, dryRun),
  };
  const rows = await withDefinition(deps, { tenant: caller.tenant, table: params.table }, (definition) =>
    importRows(deps, definition, { file, options, dryRun, authorship, once }),
  );
  return importAnswer(rows, dryRun);
}

function importAnswer(rows: number, dryRun: boolean): Answer {
  const count = `${pluralize(rows, "row")} ${dryRun ? "would be" : rows === 1 ? "was" : "were"} imported.`;
  const message = dryRun ? `${count} Nothing was written.` : count;
  return { status: dryRun ? 200 : 201, body: { success: true, message, data: { affected_rows: rows } } };
}

/** A caller who asks for a dry run must not get a real one. */
function refuseFileParameters(query: Request["query"]): void {
  const errors = Object.keys(query)
    .filter((name) => ["$dry_run", "$decimal", "$skip"].includes(name))
    .map((name) => ({ pointer: `/query/${name}`, detail: "This parameter is for files." }));
  if (errors.length > 0) throw new Problem("invalid_parameter", { errors });
}
