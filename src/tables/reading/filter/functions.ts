/** The functions of a `$filter`: what they take, what they answer, and their SQL. */
import type { Reader } from "../reader.ts";
import type { CallNode, FilterNode, Kind } from "./expression.ts";
import { takes } from "./kinds.ts";
import { described, ofKind } from "./operands.ts";

interface FilterFunction {
  /** The kinds that each argument may have. */
  readonly takes: readonly (readonly Kind[])[];
  readonly answers: Kind;
  /** From the SQL of the arguments. `kind` is the first argument's. */
  readonly sql: (args: readonly string[], kind: Kind) => string;
}

const texts: FilterFunction["takes"] = [["text"], ["text"]];
const day: FilterFunction["takes"] = [["date", "timestamp"]];

/** The zone of the session does not matter: a timestamp's day is the day in UTC. */
const part =
  (name: string) =>
  ([value]: readonly string[], kind: Kind) =>
    `extract(${name} from ${kind === "timestamp" ? `${value} at time zone 'UTC'` : value})::integer`;

/** No LIKE: `%` and `_` in a value are ordinary characters. */
const functions: Readonly<Record<string, FilterFunction>> = {
  contains: { takes: texts, answers: "boolean", sql: ([text, part]) => `(strpos(${text}, ${part}) > 0)` },
  startswith: { takes: texts, answers: "boolean", sql: ([text, part]) => `starts_with(${text}, ${part})` },
  endswith: {
    takes: texts,
    answers: "boolean",
    sql: ([text, part]) => `(right(${text}, length(${part})) = ${part})`,
  },
  tolower: { takes: [["text"]], answers: "text", sql: ([text]) => `lower(${text})` },
  toupper: { takes: [["text"]], answers: "text", sql: ([text]) => `upper(${text})` },
  year: { takes: day, answers: "number", sql: part("year") },
  month: { takes: day, answers: "number", sql: part("month") },
  day: { takes: day, answers: "number", sql: part("day") },
  date: {
    takes: [["timestamp"]],
    answers: "date",
    sql: ([moment]) => `(${moment} at time zone 'UTC')::date`,
  },
};

const names = Object.keys(functions).join(", ");

/** Reads a call. The next token is the function's name, and `readArgument` reads one argument. */
export function readCall(reader: Reader, readArgument: () => FilterNode): CallNode {
  const token = reader.peek();
  const name = token.text.toLowerCase();
  const called = Object.hasOwn(functions, name) ? functions[name] : undefined;
  if (!called) reader.fail(`a function (${names})`);
  reader.next();
  reader.expect("(");
  const args = called.takes.map((kinds, index) => {
    if (index > 0) reader.expect(",");
    return argumentOf(reader, readArgument(), kinds);
  });
  reader.expect(")");
  return { node: "call", kind: called.answers, name, arguments: args, at: token.at };
}

function argumentOf(reader: Reader, node: FilterNode, kinds: readonly Kind[]): FilterNode {
  for (const kind of kinds) {
    const fitting = ofKind(node, kind);
    if (fitting) return fitting;
  }
  const expected = kinds.map((kind) => takes[kind]).join(", or ");
  throw reader.fault(node.at, `expected ${expected}, found ${described(node)}.`);
}

export function callSql({ name, arguments: args }: CallNode, sqls: readonly string[]): string {
  const called = functions[name];
  if (!called) throw new Error("A filter calls a function that does not exist.");
  return called.sql(sqls, args[0]?.kind ?? "null");
}
