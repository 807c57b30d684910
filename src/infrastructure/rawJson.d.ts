/** JSON.parse source text access (ECMAScript 2026): in the runtime, not yet in TypeScript's library. */
interface RawJson {
  readonly rawJSON: string;
}

interface JSON {
  /** A value that `JSON.stringify` writes as this very text. For primitives only. */
  rawJSON(text: string): RawJson;
  isRawJSON(value: unknown): value is RawJson;
}
