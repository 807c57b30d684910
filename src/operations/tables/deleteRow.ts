import type { Handler } from "../../handler.ts";
import { namedRow } from "../../tables/writing/oneRow.ts";
import { deleteRows as deleteStatement } from "../../tables/writing/statements.ts";
import { writeRows } from "../../tables/writing/writeRows.ts";

export const deleteRow: Handler<"deleteRow"> = (request, deps) => {
  const { params, headers } = request;
  const row = namedRow(params.id, headers["if-match"]);
  return writeRows({ ...request, faults: [] }, deps, {
    status: 200,
    participle: "deleted",
    row,
    faults: () => [],
    statement: (definition, options) => deleteStatement(definition, { id: row.id }, options),
  });
};
