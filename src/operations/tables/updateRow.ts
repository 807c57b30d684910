import type { Handler } from "../../handler.ts";
import { assignmentFaults } from "../../tables/values.ts";
import { namedRow } from "../../tables/writing/oneRow.ts";
import { updateRows as updateStatement } from "../../tables/writing/statements.ts";
import { writeRows } from "../../tables/writing/writeRows.ts";

/** The body is the new values. */
export const updateRow: Handler<"updateRow"> = (request, deps) => {
  const { params, headers, body } = request;
  const set = body as Readonly<Record<string, unknown>>;
  const row = namedRow(params.id, headers["if-match"]);
  return writeRows(request, deps, {
    status: 200,
    participle: "updated",
    row,
    faults: (definition) => assignmentFaults(definition, set, ""),
    statement: (definition, options) => updateStatement(definition, { where: { id: row.id }, set }, options),
  });
};
