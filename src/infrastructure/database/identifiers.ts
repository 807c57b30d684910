/** The one place where a name that a tenant chose becomes SQL. */

/** One quoted identifier. A dot is a character of the name and never separates a schema from a table. */
export function quoteIdentifier(name: string): string {
  if (name === "" || name.includes("\0"))
    throw new Error("An identifier has at least one character and no U+0000");
  return name.includes('"') ? `"${name.replaceAll('"', '""')}"` : `"${name}"`;
}

/** A table with its schema, both quoted. */
export const quoteTable = (schema: string, table: string) =>
  `${quoteIdentifier(schema)}.${quoteIdentifier(table)}`;

/** A string literal for people to read, never to run. The statements in the audit trail are written with it. */
export const quoteLiteral = (text: string) => `'${text.replaceAll("'", "''")}'`;
