/** `1 row`, `2 rows`. */
export const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** `1 row was inserted.`, `2 rows were inserted.` */
export const countedChange = (count: number, participle: string) =>
  `${counted(count, "row")} ${count === 1 ? "was" : "were"} ${participle}.`;
