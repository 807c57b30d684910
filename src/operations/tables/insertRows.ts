import type { NewRows } from "../../generated/schemas.ts";
import type { Handler } from "../../handler.ts";
import { rowFaults } from "../../tables/values.ts";
import { insertRows as insertStatement } from "../../tables/writing/statements.ts";
import { writeRows } from "../../tables/writing/writeRows.ts";

/** All rows go in one statement with one parameter, so the request succeeds or fails as a whole. */
export const insertRows: Handler<"insertRows"> = async (request, deps) => {
  const body = await writeRows(request, deps, {
    participle: "inserted",
    faults: (definition) => rowFaults(definition, (request.body as Partial<NewRows> | null)?.rows),
    statement: (definition, authorship) =>
      insertStatement(definition, (request.body as NewRows).rows, authorship),
  });
  return { status: 201, body };
};
