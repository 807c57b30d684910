/** `1 row`, `2 rows`. */
export const pluralize = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;
