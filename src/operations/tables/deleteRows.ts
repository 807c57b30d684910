import type { RowDeletion } from "../../generated/schemas.ts";
import type { Handler } from "../../handler.ts";
import { conditionFaults } from "../../tables/values.ts";
import { rowOfCondition } from "../../tables/writing/oneRow.ts";
import { deleteRows as deleteStatement } from "../../tables/writing/statements.ts";
import { writeRows } from "../../tables/writing/writeRows.ts";

export const deleteRows: Handler<"deleteRows"> = async (request, deps) => {
  const given = request.body as Partial<RowDeletion> | null;
  return writeRows(request, deps, {
    status: 200,
    row: rowOfCondition(given?.where, request.headers["if-match"]),
    participle: "deleted",
    faults: (definition) => conditionFaults(definition, given?.where),
    statement: (definition, options) => deleteStatement(definition, (given as RowDeletion).where, options),
  });
};
