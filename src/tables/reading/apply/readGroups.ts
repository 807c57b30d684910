import type { Infrastructure } from "../../../infrastructure/infrastructure.ts";
import type { Tenant } from "../../../tenants/tenant.ts";
import type { Definition } from "../../definition.ts";
import { filterCondition } from "../../values.ts";
import { type Order, parseTerms } from "../order.ts";
import type { Page } from "../readPage.ts";
import { runRead } from "../runRead.ts";
import { type Grouping, parseApply } from "./parseApply.ts";
import { groupTypes, selectGroups } from "./selectGroups.ts";

export interface GroupParameters {
  readonly $apply: string;
  readonly $orderby?: string | undefined;
  /** Column to text: the equality filters. */
  readonly equals: Readonly<Record<string, string>>;
  readonly page: number;
  readonly limit: number;
  /** Whether to count the groups. */
  readonly total: boolean;
}

interface GroupsRow {
  readonly current: boolean;
  readonly fits: boolean;
  readonly rows: string | null;
  readonly total: string | null;
}

/** One page of groups, in one round trip. Throws a problem for parameters that do not fit the table. */
export async function readGroups(
  infrastructure: Pick<Infrastructure, "sql" | "caches" | "config">,
  target: { readonly tenant: Tenant; readonly table: string },
  { $apply, $orderby, equals, page, limit, total }: GroupParameters,
): Promise<Page> {
  const statement = (definition: Definition) => {
    const where = filterCondition(definition, equals);
    const grouping = parseApply($apply, definition);
    const order = orderOf(definition, grouping, $orderby);
    return selectGroups(definition, {
      grouping,
      where,
      order,
      limit,
      offset: BigInt(page) * BigInt(limit),
      total,
    });
  };
  const found = await runRead<GroupsRow>(infrastructure, { ...target, isFree: true, statement });
  return {
    rows: { jsonText: `[${found.rows ?? ""}]` },
    total: found.total === null ? undefined : Number(found.total),
    next: undefined,
  };
}

/** The columns that groups have in common decide ties, so that pages have no gaps or repeats. */
function orderOf(definition: Definition, grouping: Grouping, $orderby: string | undefined): Order {
  const given = $orderby === undefined ? [] : parseTerms($orderby, groupTypes(definition, grouping));
  const others = grouping.by.filter((name) => !given.some((term) => term.name === name));
  return [...given, ...others.map((name) => ({ name, descending: false }))];
}
