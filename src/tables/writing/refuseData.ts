/** What PostgreSQL refuses in values that are valid one by one, as Problems that name columns and no values. */
import postgres from "postgres";
import { Problem, type ProblemCode } from "../../infrastructure/problem.ts";

const unchanged = "Nothing was changed.";

/** Throws a Problem for a refusal of PostgreSQL, and any other error as it is. */
export function refuseData(error: unknown): never {
  throw (error instanceof postgres.PostgresError && refusalOf(error)) || error;
}

function refusalOf(error: postgres.PostgresError): Problem | undefined {
  const columns = columnsOf(error);
  switch (error.code) {
    // program_limit_exceeded: the row does not fit into a page of PostgreSQL.
    case "54000":
      return new Problem("row_too_large", { cause: error });
    case "23505":
      return problem(
        "unique_violation",
        error,
        `Another row has the same value${columns && ` in ${columns}`}.`,
      );
    case "23503":
      return problem("reference_violation", error, referenceMessage(error, columns));
    case "23502":
      return problem("invalid_value", error, `${quoted(error.column_name)} does not allow null.`);
    // invalid_column_reference: PostgreSQL has no such index for an upsert, or not yet.
    case "42P10":
      return problem("no_unique_index", error, "The unique index is still being built. Try again later.");
    // cardinality_violation: an upsert would change a row twice.
    case "21000":
      return problem("duplicate_key", error, "Two rows of the request have the same key. Send one of them.");
  }
  // Class 22 is data exceptions. Class 23 is constraints, for example one that the platform added to the table.
  return /^2[23]/.test(error.code)
    ? problem("invalid_value", error, "The database refused a value.")
    : undefined;
}

const problem = (code: ProblemCode, cause: unknown, message: string) =>
  new Problem(code, { message: `${message} ${unchanged}`, cause });

/** A deleted or changed row that others refer to, or a reference to a row that does not exist. */
function referenceMessage(
  { detail = "", table_name: table }: postgres.PostgresError,
  columns: string,
): string {
  // The text of `detail` depends on the server's language. Only the first kind names the referring table's values.
  return columns === "" || /^Key \(id\)=/.test(detail)
    ? `Rows of table ${JSON.stringify(table)} refer to this row.`
    : `The row to which ${columns} refers does not exist.`;
}

/** The columns of a violated key: `Key (a, b)=(1, 2) already exists.`, in whatever language. Empty if it has none. */
function columnsOf({ detail = "" }: postgres.PostgresError): string {
  const names = /\(([a-z0-9_", ]+)\)=\(/.exec(detail)?.[1];
  return names === undefined
    ? ""
    : names
        .split(",")
        .map((name) => quoted(name.replaceAll('"', "").trim()))
        .join(" and ");
}

const quoted = (name = "") => (name === "" ? "A column" : `column "${name}"`);
