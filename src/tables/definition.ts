/** What a table is: its registry entry, and its columns with the built-in ones. */
import type { Column } from "../generated/schemas.ts";
import { Problem } from "../infrastructure/problem.ts";
import type { Tenant } from "../tenants/tenant.ts";
import type { ColumnType } from "./columnTypes/columnType.ts";
import { columnTypes } from "./columnTypes/index.ts";

export interface Definition {
  /** The registry's id. A table that is dropped and made again gets another. */
  readonly id: number;
  readonly tenant: Tenant;
  readonly name: string;
  /** The tenant's own columns, in their order. */
  readonly columns: readonly Column[];
  /** Every column that a row has and a condition may name. */
  readonly types: ReadonlyMap<string, ColumnType>;
  /** The tenant's own columns that allow null. */
  readonly nullable: ReadonlySet<string>;
}

export const builtInColumns = {
  id: columnTypes.bigint,
  created_at: columnTypes.timestamp,
  updated_at: columnTypes.timestamp,
} as const satisfies Record<string, ColumnType>;

export const isBuiltIn = (column: string) => Object.hasOwn(builtInColumns, column);

export const tableNotFound = (table: string) =>
  new Problem("table_not_found", { message: `Table "${table.slice(0, 100)}" does not exist.` });
