/** References between columns as the registry keeps them: by the name of the other table. Pure. */
import type { Column } from "../../generated/schemas.ts";

/** The columns after the table that some of them refer to got another name. */
export const referringTo = (name: string, before: string, columns: readonly Column[]): Column[] =>
  columns.map((column) =>
    column.references?.table === before
      ? { ...column, references: { ...column.references, table: name } }
      : column,
  );
