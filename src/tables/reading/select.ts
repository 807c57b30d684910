/** The columns of an answer: `$select=full_name,income`. The id always comes along. */
import type { Definition } from "../definition.ts";
import { unknownColumn } from "./filter/paths.ts";
import { Reader } from "./reader.ts";

/** The columns in the order of the text. Throws `invalid_parameter` or `unknown_column`, with the place. */
export function parseSelect(text: string, definition: Definition): readonly string[] {
  const reader = new Reader(text, "$select");
  const names = new Set<string>();
  do {
    const { type, text: name, at } = reader.peek();
    if (type !== "word") reader.fail("a column");
    if (!definition.types.has(name)) throw unknownColumn(reader);
    if (names.has(name)) throw reader.fault(at, `column "${name}" is there twice.`);
    names.add(name);
    reader.next();
  } while (reader.accept(","));
  if (reader.peek().type !== "end") reader.fail('"," or the end');
  return names.has("id") ? [...names] : ["id", ...names];
}
