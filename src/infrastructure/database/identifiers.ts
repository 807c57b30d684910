/** The one place where a name that a tenant chose becomes SQL (design 2). */

/** One identifier, quoted. A dot in it stays a character of the name and never becomes a path. */
export function quoteIdentifier(name: string): string {
  if (name === "" || name.includes("\0"))
    throw new Error("an identifier has at least one character and no U+0000");
  return name.includes('"') ? `"${name.replaceAll('"', '""')}"` : `"${name}"`;
}

/** A table of a schema, both quoted. */
export const quoteTable = (schema: string, table: string) =>
  `${quoteIdentifier(schema)}.${quoteIdentifier(table)}`;

/** A string literal for reading, not for running: the audit trail's statements are written with it. */
export const quoteLiteral = (text: string) => `'${text.replaceAll("'", "''")}'`;
