/** Recognises that a table's name is in use. */
import postgres from "postgres";
import { Problem } from "../../infrastructure/problem.ts";

const constraints = [
  "_tables_name",
  "tenant_tables_name",
  "pg_type_typname_nsp_index",
  "pg_class_relname_nsp_index",
];

/** A registry entry, a relation or a type has the name. Simultaneous requests can collide in any of the three. */
export function isNameInUse(error: unknown): boolean {
  if (!(error instanceof postgres.PostgresError)) return false;
  const { code, constraint_name: constraint = "" } = error;
  return code === "42P07" || code === "42710" || (code === "23505" && constraints.includes(constraint));
}

export const nameInUse = (name: string, pointer: string) =>
  new Problem("table_name_in_use", {
    errors: [{ pointer, detail: `The name "${name}" is in use. Choose another.` }],
  });
