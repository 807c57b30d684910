/**
 * Reads the header fields that the contract declares, one by one. If Elysia checked them, it would first copy all
 * fields of each request.
 */
import type Type from "typebox";
import { Problem } from "../infrastructure/problem.ts";
import { compileValidator } from "./validation.ts";

type Fields = Readonly<Record<string, string>>;

const none: Fields = {};

/** Reads an operation's fields. The reader throws `invalid_parameter`. A repeated field is a list with commas. */
export function headerReader(schema: Type.TObject | undefined): (request: Request) => Fields {
  if (!schema) return () => none;
  const names = Object.keys(schema.properties);
  const validate = compileValidator(schema);
  return ({ headers }) => {
    const fields: Record<string, string> = {};
    for (const name of names) {
      const value = headers.get(name);
      if (value !== null) fields[name] = value;
    }
    const errors = validate(fields, "/header");
    if (errors.length > 0) throw new Problem("invalid_parameter", { errors });
    return fields;
  };
}
