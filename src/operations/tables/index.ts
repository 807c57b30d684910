/**
 * The tenant table builder (reference: tenant-table-builder).
 *
 * What holds here, always:
 * - A table exists for a caller only while `waybill.tenant_tables` lists it for the caller's tenant. Names reach SQL
 *   only after that look-up, quoted in identifiers.ts.
 * - A change and its audit record commit together, or neither does.
 * - A request is one statement: all of it happens, or nothing.
 */
import type { HandlersOf } from "../../handler.ts";
import { createTable } from "./createTable.ts";
import { deleteRows } from "./deleteRows.ts";
import { dropTable } from "./dropTable.ts";
import { getTable } from "./getTable.ts";
import { insertRows } from "./insertRows.ts";
import { listRows } from "./listRows.ts";
import { listTables } from "./listTables.ts";
import { updateRows } from "./updateRows.ts";

export const tables = {
  createTable,
  listTables,
  getTable,
  dropTable,
  insertRows,
  listRows,
  updateRows,
  deleteRows,
} satisfies HandlersOf<"tables">;
