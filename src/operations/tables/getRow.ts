import type { Row } from "../../generated/schemas.ts";
import type { Handler } from "../../handler.ts";
import type { JsonText } from "../../infrastructure/jsonText.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { columnTypes } from "../../tables/columnTypes/index.ts";
import { runRead } from "../../tables/reading/runRead.ts";
import { selectRow } from "../../tables/reading/selectRow.ts";
import { rowTag } from "../../tables/writing/etags.ts";

interface Found {
  readonly current: boolean;
  readonly exists: boolean;
  readonly fits: boolean;
  readonly row: string | null;
  readonly transaction: string | null;
}

export const getRow: Handler<"getRow"> = async ({ params, caller }, infrastructure) => {
  const { table, id } = params;
  // No row has an id that does not fit its column. The table may not exist either, so PostgreSQL is asked all the same.
  const known = columnTypes.bigint.accepts(id) ? id : "0";
  const statement = (definition: Parameters<typeof selectRow>[0]) => selectRow(definition, known);
  const target = { tenant: caller.tenant, table, isFree: false, statement };
  const { exists, row, transaction } = await runRead<Found>(infrastructure, target);
  if (!exists || row === null || known !== id) throw rowNotFound(table, id);
  const data: JsonText<Row> = { jsonText: row };
  const headers = { ETag: rowTag(id, transaction ?? "") };
  return { status: 200, headers, body: { success: true, message: `Row ${id}.`, data } };
};

const rowNotFound = (table: string, id: string) =>
  new Problem("row_not_found", { message: `Table "${table}" has no row with the id ${id}.` });
