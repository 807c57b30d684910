/**
 * The tenant table builder (docs/decisions/tables.md). Its invariants:
 *
 * - A table exists for a caller only while `_tables` in the schema of the caller's tenant lists it. A name reaches SQL
 *   only after that look-up, quoted by infrastructure/database/identifiers.ts.
 * - A change and its audit record commit together.
 * - A request on rows is one statement, so it succeeds or fails as a whole.
 */
import type { HandlersOf } from "../../handler.ts";
import { alterTable } from "./alterTable.ts";
import { createTable } from "./createTable.ts";
import { deleteRow } from "./deleteRow.ts";
import { deleteRows } from "./deleteRows.ts";
import { dropTable } from "./dropTable.ts";
import { getRow } from "./getRow.ts";
import { getTable } from "./getTable.ts";
import { insertRows } from "./insertRows.ts";
import { listRows } from "./listRows.ts";
import { listTables } from "./listTables.ts";
import { restoreTable } from "./restoreTable.ts";
import { updateRow } from "./updateRow.ts";
import { updateRows } from "./updateRows.ts";

export const tables = {
  createTable,
  listTables,
  getTable,
  getRow,
  alterTable,
  dropTable,
  restoreTable,
  insertRows,
  listRows,
  updateRows,
  deleteRows,
  updateRow,
  deleteRow,
} satisfies HandlersOf<"tables">;
