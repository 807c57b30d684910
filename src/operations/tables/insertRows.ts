import type { NewRows } from "../../generated/schemas.ts";
import type { Handler } from "../../handler.ts";
import { insertRows as insertStatement } from "../../tables/statements.ts";
import { rowFaults } from "../../tables/values.ts";
import { writeRows } from "../../tables/writeRows.ts";

/** All rows in one statement with one parameter: the whole request succeeds or the whole fails. */
export const insertRows: Handler<"insertRows"> = async (request, deps) => {
  const body = await writeRows(request, deps, {
    participle: "inserted",
    faults: (definition) => rowFaults(definition, (request.body as Partial<NewRows> | null)?.rows),
    statement: (definition, authorship) =>
      insertStatement(definition, (request.body as NewRows).rows, authorship),
  });
  return { status: 201, body };
};
