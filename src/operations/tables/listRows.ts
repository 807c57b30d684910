import postgres from "postgres";
import type { Handler } from "../../handler.ts";
import { answerTooLarge } from "../../infrastructure/database/boundedList.ts";
import { pluralize } from "../../infrastructure/pluralize.ts";
import { type Fault, Problem } from "../../infrastructure/problem.ts";
import { stale, withDefinition } from "../../tables/definitionCache.ts";
import { runPage } from "../../tables/queries.ts";
import { parseFilter } from "../../tables/reading/filter/parseFilter.ts";
import { selectPage } from "../../tables/reading/selectPage.ts";
import { filterCondition } from "../../tables/values.ts";

/** One round trip. The database writes the rows' JSON, which is sent unchanged. */
export const listRows: Handler<"listRows"> = async ({ params, query, caller }, { sql, caches }) => {
  const { page = 0, limit = 50, $total: total = true, $filter, ...filters } = query;
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
};

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
