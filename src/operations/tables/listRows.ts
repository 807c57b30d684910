import postgres from "postgres";
import type { Deps } from "../../deps.ts";
import type { AnswerOf, Handler, RequestOf } from "../../handler.ts";
import { answerTooLarge } from "../../infrastructure/database/boundedList.ts";
import { pluralize } from "../../infrastructure/pluralize.ts";
import { type Fault, Problem } from "../../infrastructure/problem.ts";
import { exportHeaders, exportRows } from "../../tables/bulk/exportRows.ts";
import { stale, withDefinition } from "../../tables/definitionCache.ts";
import { runPage } from "../../tables/queries.ts";
import { parseFilter } from "../../tables/reading/filter/parseFilter.ts";
import { matchesSql } from "../../tables/reading/matches.ts";
import { selectPage } from "../../tables/reading/selectPage.ts";
import type { Parameters } from "../../tables/statement.ts";
import { filterCondition } from "../../tables/values.ts";

type Request = RequestOf<"listRows">;

/** A page of rows, or a file with all of them. */
export const listRows: Handler<"listRows"> = (request, deps) =>
  request.accepted === "application/json" ? listPage(request, deps) : exportFile(request, deps);

/** Every row that matches, as a stream. */
async function exportFile(request: Request, deps: Deps): Promise<AnswerOf<"listRows">> {
  const { page, limit, $total: _, $safe: safe = false, $filter, ...filters } = request.query;
  refuseReserved(filters);
  refusePaging({ page, limit });
  const format = request.accepted === "text/csv" ? request.accepted : "application/x-ndjson";
  const target = { tenant: request.caller.tenant, table: request.params.table };
  const body = await withDefinition(deps, target, async (definition) => {
    const where = filterCondition(definition, filters);
    const filter = $filter === undefined ? undefined : parseFilter($filter, definition);
    const matches = (parameters: Parameters) => matchesSql(definition, { where, filter }, parameters);
    return exportRows(deps, definition, { matches, format, safe });
  });
  return { status: 200, body, headers: exportHeaders(target.table, format) };
}

/** One round trip. The database writes the rows' JSON, which is sent unchanged. */
async function listPage(
  { params, query, caller }: Request,
  { sql, caches }: Deps,
): Promise<AnswerOf<"listRows">> {
  const { page = 0, limit = 50, $total: total = true, $safe: _, $filter, ...filters } = query;
  refuseReserved(filters);
  const offset = BigInt(page) * BigInt(limit);
  const target = { tenant: caller.tenant, table: params.table };
  const found = await withDefinition({ sql, caches }, target, async (definition) => {
    const where = filterCondition(definition, filters);
    const filter = $filter === undefined ? undefined : parseFilter($filter, definition);
    const statement = selectPage(definition, { where, filter, limit, offset, total });
    const result = await runPage(sql, statement).catch(refuseSize);
    return result?.current ? result : stale;
  });
  if (!found.fits) throw answerTooLarge();
  return {
    status: 200,
    body: {
      success: true,
      message: found.total === null ? "Rows." : `${pluralize(Number(found.total), "row")} in all.`,
      data: {
        rows: { jsonText: `[${found.rows ?? ""}]` },
        page,
        limit,
        ...(found.total === null ? {} : { total: Number(found.total) }),
      },
    },
  };
}

/** A file with a part of the rows would surprise whoever opens it. */
function refusePaging(given: Readonly<Record<string, unknown>>): void {
  const errors: Fault[] = Object.keys(given)
    .filter((name) => given[name] !== undefined)
    .map((name) => ({
      pointer: `/query/${name}`,
      detail: "A file always has every row that matches. Leave it out.",
    }));
  if (errors.length > 0) throw new Problem("invalid_parameter", { errors });
}

/** program_limit_exceeded: PostgreSQL cannot write a value because it is too large. */
function refuseSize(error: unknown): never {
  throw error instanceof postgres.PostgresError && error.code === "54000" ? answerTooLarge(error) : error;
}

/** Parameters that begin with `$` are reserved for later features. No column name can begin with it. */
function refuseReserved(filters: Readonly<Record<string, unknown>>): void {
  const errors: Fault[] = Object.keys(filters)
    .filter((name) => name.startsWith("$"))
    .map((name) => ({
      pointer: `/query/${name}`,
      detail: `Parameter ${JSON.stringify(name)} does not exist.`,
    }));
  if (errors.length > 0) throw new Problem("invalid_parameter", { errors });
}
