import { pluralize } from "../infrastructure/pluralize.ts";

/** `1 row was inserted.`, `2 rows were inserted.` */
export const countedChange = (count: number, participle: string) =>
  `${pluralize(count, "row")} ${count === 1 ? "was" : "were"} ${participle}.`;
