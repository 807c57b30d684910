import type { RowUpdate } from "../../generated/schemas.ts";
import type { Handler } from "../../handler.ts";
import { assignmentFaults, conditionFaults } from "../../tables/values.ts";
import { rowOfCondition } from "../../tables/writing/oneRow.ts";
import { updateRows as updateStatement } from "../../tables/writing/statements.ts";
import { writeRows } from "../../tables/writing/writeRows.ts";

export const updateRows: Handler<"updateRows"> = async (request, deps) => {
  const given = request.body as Partial<RowUpdate> | null;
  return writeRows(request, deps, {
    status: 200,
    row: rowOfCondition(given?.where, request.headers["if-match"]),
    participle: "updated",
    faults: (definition) => [
      ...conditionFaults(definition, given?.where),
      ...assignmentFaults(definition, given?.set),
    ],
    statement: (definition, options) => updateStatement(definition, given as RowUpdate, options),
  });
};
