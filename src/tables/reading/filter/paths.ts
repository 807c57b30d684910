/** Columns, and paths into jsonb columns: `branch`, `$it/null`, `extra/address/city`, `extra/items/0/'unit price'`. */
import type { Definition } from "../../definition.ts";
import type { Reader } from "../reader.ts";
import type { ColumnNode, JsonNode, Step } from "./expression.ts";
import { kindOf } from "./kinds.ts";

const maxSteps = 32;

/** Throws `unknown_column` if the table does not have the column. `$it/` in front helps if it is called `null`. */
export function readColumn(reader: Reader, definition: Definition): ColumnNode | JsonNode {
  if (reader.accept("$it")) reader.expect("/");
  const token = reader.peek();
  if (token.type !== "word") reader.fail('a column, a value, a function, "not" or "("');
  const name = token.text;
  const type = definition.types.get(name);
  if (!type) throw unknownColumn(reader);
  reader.next();
  const kind = kindOf(type);
  if (kind !== "json") return { node: "column", kind, name, at: token.at };
  return { node: "json", kind, name, path: readSteps(reader), at: token.at };
}

/** A problem with the next token, which is not the name of a column. */
export function unknownColumn(reader: Reader) {
  const { text, at } = reader.peek();
  const shown = JSON.stringify(text.toWellFormed().slice(0, 100));
  return reader.fault(at, `expected a column, but this table has no column ${shown}.`, "unknown_column");
}

function readSteps(reader: Reader): Step[] {
  const steps: Step[] = [];
  while (reader.accept("/")) {
    steps.push(readStep(reader));
    if (steps.length > maxSteps)
      throw reader.fault(reader.peek().at, `a path has at most ${maxSteps} steps.`);
  }
  return steps;
}

function readStep(reader: Reader): Step {
  const { type, text } = reader.peek();
  const isPlace = type === "number" && /^(0|[1-9]\d{0,8})$/.test(text);
  if (!isPlace && type !== "word" && type !== "string")
    reader.fail("a key, a key in single quotes, or a place in an array from 0");
  reader.next();
  return isPlace ? Number(text) : text;
}
