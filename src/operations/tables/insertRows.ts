import type { NewRows } from "../../generated/schemas.ts";
import type { Handler } from "../../handler.ts";
import { rowFaults } from "../../tables/values.ts";
import { insertRows as insertStatement } from "../../tables/writing/statements.ts";
import { conflictFaults } from "../../tables/writing/upsert.ts";
import { writeRows } from "../../tables/writing/writeRows.ts";

/** All rows go in one statement with one parameter, so the request succeeds or fails as a whole. */
export const insertRows: Handler<"insertRows"> = async (request, deps) => {
  const given = request.body as Partial<NewRows> | null;
  return writeRows(request, deps, {
    status: 201,
    participle: "inserted",
    rows: Array.isArray(given?.rows) ? given.rows.length : 0,
    faults: (definition) => [...rowFaults(definition, given?.rows), ...conflictFaults(definition, given)],
    statement: (definition, options) => {
      const { rows, on_conflict: onConflict } = given as NewRows;
      return insertStatement(definition, { rows, onConflict }, options);
    },
  });
};
