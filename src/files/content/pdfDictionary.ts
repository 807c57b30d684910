/**
 * Reads one PDF dictionary (ISO 32000-2, 7.3): its decoded names, and the source text of each value. Values are
 * skipped, not interpreted. That is enough for trailers and cross-reference streams.
 */
export type PdfDictionary = ReadonlyMap<string, string>;

const maxDepth = 32;
const space = /(?:[\0\t\n\f\r ]|%[^\r\n]*)*/y;
const name = /\/[^\0\t\n\f\r ()<>[\]{}/%]*/y;
const reference = /\d+[\0\t\n\f\r ]+\d+[\0\t\n\f\r ]+R(?![A-Za-z0-9])/y;
const atom = /[+-]?[\d.]+|true|false|null/y;
const hexString = /<[\dA-Fa-f\0\t\n\f\r ]*>/y;

/** The dictionary at the start of `source`, and its end. Undefined if there is none, or if it has no end. */
export function parsePdfDictionary(source: string): { dictionary: PdfDictionary; end: number } | undefined {
  const dictionary = new Map<string, string>();
  const end = skipDictionary(source, skip(space, source, 0) ?? 0, { depth: 0, entries: dictionary });
  return end === undefined ? undefined : { dictionary, end };
}

interface Nesting {
  readonly depth: number;
  /** Filled by the outermost dictionary only. */
  readonly entries?: Map<string, string>;
}

function skipDictionary(source: string, start: number, { depth, entries }: Nesting): number | undefined {
  if (!source.startsWith("<<", start) || depth > maxDepth) return undefined;
  let at: number | undefined = skipSpace(source, start + 2);
  while (!source.startsWith(">>", at)) {
    const keyEnd = skip(name, source, at);
    if (keyEnd === undefined) return undefined;
    const valueStart = skipSpace(source, keyEnd);
    const valueEnd = skipValue(source, valueStart, depth + 1);
    if (valueEnd === undefined) return undefined;
    entries?.set(decodeName(source.slice(at + 1, keyEnd)), source.slice(valueStart, valueEnd));
    at = skipSpace(source, valueEnd);
  }
  return at + 2;
}

function skipValue(source: string, start: number, depth: number): number | undefined {
  switch (source[start]) {
    case "<":
      return skip(hexString, source, start) ?? skipDictionary(source, start, { depth });
    case "[":
      return skipArray(source, start, depth);
    case "(":
      return skipString(source, start);
    case "/":
      return skip(name, source, start);
    default:
      return skip(reference, source, start) ?? skip(atom, source, start);
  }
}

function skipArray(source: string, start: number, depth: number): number | undefined {
  if (depth > maxDepth) return undefined;
  let at = skipSpace(source, start + 1);
  while (source[at] !== "]") {
    const end = skipValue(source, at, depth + 1);
    if (end === undefined) return undefined;
    at = skipSpace(source, end);
  }
  return at + 1;
}

/** Parentheses nest. One after a backslash does not count. */
function skipString(source: string, start: number): number | undefined {
  let open = 0;
  for (let at = start; at < source.length; at++) {
    if (source[at] === "\\") at++;
    else if (source[at] === "(") open++;
    else if (source[at] === ")" && --open === 0) return at + 1;
  }
  return undefined;
}

function skip(pattern: RegExp, source: string, start: number): number | undefined {
  pattern.lastIndex = start;
  return pattern.test(source) ? pattern.lastIndex : undefined;
}

const skipSpace = (source: string, start: number) => skip(space, source, start) ?? start;

/** `/Encr#79pt` is `/Encrypt`. */
const decodeName = (source: string) =>
  source.replace(/#([\dA-Fa-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
