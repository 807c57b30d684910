/**
 * jsep, set up for the operators and literals of expressions. Left to itself it reads `\n` in texts, two expressions in
 * a row, and spaces other than ASCII's as letters.
 */
import jsep from "jsep";
import { ExpressionError } from "./expressionError.ts";
import { binaryOperators, logicalOperators, unaryOperators } from "./operators.ts";
import { quoted } from "./template.ts";

export const malformed = (cause?: unknown) => new ExpressionError("It is not well-formed.", { cause });

/** The nodes of a text, as jsep names them. Throws `ExpressionError`. */
export function readNodes(source: string): jsep.Expression {
  const text = withPlainSpaces(source);
  const bare = text.replaceAll(quoted, "''");
  if (strayComma.test(bare)) throw malformed();
  try {
    return jsep(text + missingParentheses(bare));
  } catch (error) {
    throw error instanceof ExpressionError ? error : malformed(error);
  }
}

/** jsep skips semicolons, and commas at the beginning and the end of a text or of what is in parentheses. */
const strayComma = /;|(?:^|\()\s*,|,\s*(?:$|\))/;

/** Parentheses at the very beginning may stay open: the parser of earlier releases accepted that in deployed models. */
function missingParentheses(bare: string): string {
  const countOf = (parenthesis: string) => bare.split(parenthesis).length - 1;
  const open = countOf("(") - countOf(")");
  const leading = bare.slice(0, bare.search(/[^\s(]|$/)).replaceAll(/\s/g, "").length;
  return ")".repeat(Math.min(Math.max(open, 0), leading));
}

const quotedOrOdd = new RegExp(`${quoted.source}|\\s|\u2212`, "g");

/** Word processors write other spaces, and U+2212 for a minus sign. */
const withPlainSpaces = (text: string) =>
  text.replaceAll(quotedOrOdd, (token) => {
    if (token === "\u2212") return "-";
    return token.trim() === "" ? " " : token;
  });

// These settings are jsep's only ones, for the whole process. No other file may import jsep.
jsep.removeAllUnaryOps();
jsep.removeAllBinaryOps();
jsep.removeAllLiterals();
for (const name of unaryOperators.keys()) jsep.addUnaryOp(name);
for (const [name, { precedence }] of [...logicalOperators, ...binaryOperators])
  jsep.addBinaryOp(name, precedence);
jsep.addLiteral("true", true);
jsep.addLiteral("false", false);
jsep.hooks.add("gobble-token", readLiteral);
jsep.hooks.add("after-expression", readElvis, true);
jsep.hooks.add("after-expression", refuseNeighbour);

interface Read {
  node?: jsep.Expression;
}

const literal = new RegExp(`${quoted.source}|(?:\\d+\\.?\\d*|\\.\\d+)(?:[eE][+-]?\\d+)?`, "y");

/** A text or a number. */
function readLiteral(this: jsep.HookScope, read: Read): void {
  literal.lastIndex = this.index;
  const [raw] = literal.exec(this.expr) ?? [];
  if (raw === undefined && this.char === ".") throw new ExpressionError("A name in it begins with a dot.");
  if (raw === undefined) return;
  this.index += raw.length;
  const value = /^['"]/.test(raw) ? textOf(raw) : numberOf(raw);
  read.node = this.gobbleTokenProperty({ type: "Literal", value });
}

const textOf = (raw: string) =>
  raw.slice(1, -1).replaceAll(raw.startsWith("'") ? /\\([\\'])/g : /\\([\\"])/g, "$1");

/** A whole number with more digits than a double keeps stays a text, which operators read as an exact number. */
const numberOf = (raw: string) => (/^\d{16,}$/.test(raw) ? raw : Number(raw));

const elvis = /\?\s*:/y;

/** `a ?: b`: the value of `a` if it holds, else that of `b`. */
function readElvis(this: jsep.HookScope, read: Read): void {
  elvis.lastIndex = this.index;
  const [operator] = elvis.exec(this.expr) ?? [];
  if (!read.node || operator === undefined) return;
  this.index += operator.length;
  const alternate = this.gobbleExpression();
  if (!alternate) throw malformed();
  read.node = { type: "ConditionalExpression", test: read.node, consequent: undefined, alternate };
}

/** jsep would read `a b` and `a; b` as two expressions. */
function refuseNeighbour(this: jsep.HookScope): void {
  if (this.index < this.expr.length && !"),]:".includes(this.char)) throw malformed();
}
