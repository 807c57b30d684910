/**
 * Reads the opening tags of XML while it is inflated. A document type is refused, as Office refuses it, so entities are
 * never declared and never expanded.
 */
import { SaxesParser, type SaxesTagNS } from "saxes";
import { ContentRejection } from "./rejection.ts";

/** The parts read here have two or three levels. A deep tree makes namespace look-ups slow. */
const maxDepth = 32;

/** The encodings that a declaration may name. This reader looks at the bytes, another one might believe the name. */
const allowedEncodings = new Set(["utf-8", "utf-16", "us-ascii"]);

/** The parser holds a text or a tag in memory. The longest one needed, a hyperlink, has at most 2,083 characters. */
const maxTokenBytes = 256 * 1024;

/**
 * How many tags and attributes the readers that share the budget may still read. A tag takes the parser microseconds,
 * and many small, well compressed tags would add up to seconds.
 */
export interface XmlBudget {
  tokens: number;
}

export interface XmlReader {
  /** Throws `document_damaged` at the first fault. */
  write(chunk: Buffer): void;
  /** Throws `document_damaged` if the XML is not complete. */
  end(): void;
}

export type XmlTag = Pick<SaxesTagNS, "local" | "uri"> & {
  readonly attributes: Readonly<Record<string, string>>;
};

/** Calls `onTag` for every opening tag; `attributes` are those without a namespace. */
export function createXmlReader(budget: XmlBudget, onTag: (tag: XmlTag) => void): XmlReader {
  const parser = createParser(budget);
  const decode = createDecoder();
  let bytesSinceTag = 0;
  parser.on("opentag", (tag) => {
    bytesSinceTag = 0;
    onTag({ local: tag.local, uri: tag.uri, attributes: plainAttributes(tag) });
  });
  return {
    write: (chunk) => {
      bytesSinceTag += chunk.length;
      if (bytesSinceTag > maxTokenBytes) refuse();
      parser.write(decode(chunk));
    },
    end: () => void parser.write(decode(undefined)).close(),
  };
}

/** A parser that refuses errors, document types, other encodings, deep trees, and more tokens than the budget has. */
function createParser(budget: XmlBudget) {
  const parser = new SaxesParser({ xmlns: true });
  let depth = 0;
  const spend = () => {
    if (--budget.tokens < 0) refuse();
  };
  parser.on("error", refuse);
  parser.on("doctype", refuse);
  parser.on("xmldecl", ({ encoding = "utf-8" }) => {
    if (!allowedEncodings.has(encoding.toLowerCase())) refuse();
  });
  parser.on("attribute", spend);
  parser.on("opentagstart", () => {
    spend();
    if (++depth > maxDepth) refuse();
  });
  parser.on("closetag", () => depth--);
  return parser;
}

/** Decodes chunks in the encoding of the first one. `undefined` ends the text. */
function createDecoder(): (chunk: Buffer | undefined) => string {
  let decoder: TextDecoder | undefined;
  return (chunk) => {
    try {
      decoder ??= new TextDecoder(encodingOf(chunk), { fatal: true });
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch (error) {
      throw new ContentRejection("document_damaged", { cause: error });
    }
  };
}

function refuse(cause?: unknown): never {
  throw new ContentRejection("document_damaged", { cause });
}

function plainAttributes(tag: SaxesTagNS): Record<string, string> {
  const plain = Object.values(tag.attributes).filter(({ uri }) => uri === "");
  return Object.fromEntries(plain.map(({ local, value }) => [local, value]));
}

/** OPC allows UTF-8 and UTF-16, the latter with a byte order mark (ISO 29500-2, 8.2.4). */
function encodingOf(chunk: Buffer | undefined): "utf-8" | "utf-16le" | "utf-16be" {
  if (chunk?.[0] === 0xff && chunk[1] === 0xfe) return "utf-16le";
  if (chunk?.[0] === 0xfe && chunk[1] === 0xff) return "utf-16be";
  return "utf-8";
}
