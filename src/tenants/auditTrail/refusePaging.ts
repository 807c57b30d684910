import { type Fault, Problem } from "../../infrastructure/problem.ts";

/** A file with a part of the records would surprise whoever opens it. */
export function refusePaging(given: Readonly<Record<string, unknown>>): void {
  const errors: Fault[] = Object.keys(given)
    .filter((name) => given[name] !== undefined)
    .map((name) => ({
      pointer: `/query/${name}`,
      detail: "A file always has every record that matches. Leave it out.",
    }));
  if (errors.length > 0) throw new Problem("invalid_parameter", { errors });
}
