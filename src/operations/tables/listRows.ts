import type { Deps } from "../../deps.ts";
import type { AnswerOf, Handler, RequestOf } from "../../handler.ts";
import { pluralize } from "../../infrastructure/pluralize.ts";
import { type Fault, Problem } from "../../infrastructure/problem.ts";
import { exportHeaders, exportRows } from "../../tables/bulk/exportRows.ts";
import { withDefinition } from "../../tables/definitionCache.ts";
import { readGroups } from "../../tables/reading/apply/readGroups.ts";
import { listRequest } from "../../tables/reading/listRequest.ts";
import { matchesSql } from "../../tables/reading/matches.ts";
import { type Page, readPage } from "../../tables/reading/readPage.ts";
import type { Parameters } from "../../tables/statement.ts";

type Request = RequestOf<"listRows">;

/** A page of rows, or a file with all of them. */
export const listRows: Handler<"listRows"> = (request, deps) =>
  request.accepted === "application/json" ? listPage(request, deps) : exportFile(request, deps);

/** Every row that matches, as a stream. */
async function exportFile(request: Request, deps: Deps): Promise<AnswerOf<"listRows">> {
  const { page, limit, $after, $apply, $total: _, $safe: safe = false, ...rest } = request.query;
  const { $filter, $orderby, $select, ...equals } = rest;
  refuseReserved(equals);
  refusePaging({ page, limit, $after, $apply });
  const format = request.accepted === "text/csv" ? request.accepted : "application/x-ndjson";
  const target = { tenant: request.caller.tenant, table: request.params.table };
  const body = await withDefinition(deps, target, async (definition) => {
    const { columns, order, ...selection } = listRequest(definition, { equals, $filter, $orderby, $select });
    const matches = (parameters: Parameters) => matchesSql(definition, selection, parameters);
    return exportRows(deps, definition, { matches, columns, order, format, safe });
  });
  return { status: 200, body, headers: exportHeaders(target.table, format) };
}

/** One round trip. The database writes the rows' JSON, which is sent unchanged. */
async function listPage({ params, query, caller }: Request, deps: Deps): Promise<AnswerOf<"listRows">> {
  const { page, limit = 50, $total, $safe: _, $filter, $orderby, $select, $after, $apply, ...equals } = query;
  refuseReserved(equals);
  refuseTogether(query, "$after", ["page"]);
  refuseTogether(query, "$apply", ["$filter", "$select", "$after"]);
  const total = $total ?? $after === undefined;
  const target = { tenant: caller.tenant, table: params.table };
  const shared = { equals, $orderby, page: page ?? 0, limit, total };
  const found =
    $apply === undefined
      ? await readPage(deps, target, { ...shared, $filter, $select, $after })
      : await readGroups(deps, target, { ...shared, $apply });
  const message = messageOf(found, $apply === undefined ? "row" : "group");
  return { status: 200, body: { success: true, message, data: dataOf(found, page ?? 0, limit) } };
}

const messageOf = ({ total }: Page, noun: "row" | "group") => {
  if (total !== undefined) return `${pluralize(total, noun)} in all.`;
  return noun === "row" ? "Rows." : "Groups.";
};

const dataOf = ({ rows, total, next }: Page, page: number, limit: number) => ({
  rows,
  page,
  limit,
  ...(total === undefined ? {} : { total }),
  ...(next === undefined ? {} : { next }),
});

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

/** Parameters that begin with `$` are reserved for later features. No column name can begin with it. */
function refuseReserved(equals: Readonly<Record<string, unknown>>): void {
  const errors: Fault[] = Object.keys(equals)
    .filter((name) => name.startsWith("$"))
    .map((name) => ({
      pointer: `/query/${name}`,
      detail: `Parameter ${JSON.stringify(name)} does not exist.`,
    }));
  if (errors.length > 0) throw new Problem("invalid_parameter", { errors });
}

function refuseTogether(query: object, name: string, others: readonly string[]): void {
  if (!Object.hasOwn(query, name)) return;
  const errors = others
    .filter((other) => Object.hasOwn(query, other))
    .map((other) => ({ pointer: `/query/${other}`, detail: `It cannot be combined with ${name}.` }));
  if (errors.length > 0) throw new Problem("invalid_parameter", { errors });
}
