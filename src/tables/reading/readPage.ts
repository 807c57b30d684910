import type { Infrastructure } from "../../infrastructure/infrastructure.ts";
import type { Tenant } from "../../tenants/tenant.ts";
import type { Definition } from "../definition.ts";
import { type CursorScope, decodeCursor, encodeCursor } from "./cursor.ts";
import { type ListParameters, listRequest } from "./listRequest.ts";
import { runRead } from "./runRead.ts";
import { selectPage } from "./selectPage.ts";

export interface PageParameters extends ListParameters {
  readonly $after?: string | undefined;
  readonly page: number;
  readonly limit: number;
  /** Whether to count the matching rows. */
  readonly total: boolean;
}

export interface Page {
  readonly rows: { readonly jsonText: string };
  readonly total: number | undefined;
  /** The cursor of the next page. Undefined if there are no more rows. */
  readonly next: string | undefined;
}

/** Answers of `selectPage`, which describes them. */
interface PageRow {
  readonly current: boolean;
  readonly fits: boolean;
  readonly rows: string | null;
  readonly total: string | null;
  readonly more: boolean;
  readonly keys: string | null;
}

/** One page of a table's rows, in one round trip. Throws a problem for parameters that do not fit the table. */
export async function readPage(
  infrastructure: Pick<Infrastructure, "sql" | "caches" | "config">,
  target: { readonly tenant: Tenant; readonly table: string },
  parameters: PageParameters,
): Promise<Page> {
  const { $filter, $after, equals, limit, total } = parameters;
  let scope: CursorScope | undefined;
  const statement = (definition: Definition) => {
    const request = listRequest(definition, parameters);
    scope = { definition, order: request.order, filter: $filter, equals };
    const after = $after === undefined ? undefined : decodeCursor($after, scope);
    const offset = BigInt(parameters.page) * BigInt(limit);
    return selectPage(definition, { ...request, after, limit, offset, total });
  };
  const isFree =
    $filter !== undefined || parameters.$orderby !== undefined || parameters.$select !== undefined;
  const found = await runRead<PageRow>(infrastructure, { ...target, isFree, statement });
  return {
    rows: { jsonText: `[${found.rows ?? ""}]` },
    total: found.total === null ? undefined : Number(found.total),
    next: found.more && scope ? encodeCursor(scope, found.keys) : undefined,
  };
}
