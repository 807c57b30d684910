/** What the service knows about a table: its registry entry, and its columns with the built-in ones. */
import type { Column } from "../generated/schemas.ts";
import { quoteTable } from "../infrastructure/database/identifiers.ts";
import { Problem } from "../infrastructure/problem.ts";
import type { Tenant } from "../tenants/tenant.ts";
import type { ColumnType } from "./columnTypes/columnType.ts";
import { columnTypes } from "./columnTypes/index.ts";

export interface Definition {
  /** The id in the registry. A table that is dropped and created again gets a new one. */
  readonly id: number;
  /** How often the table was altered, plus one. A definition is current while the registry has its id and version. */
  readonly version: number;
  readonly tenant: Tenant;
  readonly name: string;
  /** The tenant's own columns, in their order. */
  readonly columns: readonly Column[];
  /** The type of every column, built-in ones included. A condition may name any of them. */
  readonly types: ReadonlyMap<string, ColumnType>;
  /** The tenant's own columns that allow null. */
  readonly nullable: ReadonlySet<string>;
  /** The indexes that the tenant asked for. */
  readonly indexes: readonly TableIndex[];
}

export interface TableIndex {
  readonly columns: readonly string[];
  readonly unique: boolean;
}

export const builtInColumns = {
  id: columnTypes.bigint,
  created_at: columnTypes.timestamp,
  updated_at: columnTypes.timestamp,
} as const satisfies Record<string, ColumnType>;

/** PostgreSQL's own columns: every table has them, and no table may define them. */
export const systemColumns: ReadonlySet<string> = new Set([
  "tableoid",
  "xmin",
  "cmin",
  "xmax",
  "cmax",
  "ctid",
]);

export const isBuiltIn = (column: string) => Object.hasOwn(builtInColumns, column);

/** The name of the registry of a tenant's tables, quoted for SQL. */
export const registryTable = (schema: string) => quoteTable(schema, "_tables");

export const tableNotFound = (table: string) =>
  new Problem("table_not_found", { message: `Table "${table.slice(0, 100)}" does not exist.` });
