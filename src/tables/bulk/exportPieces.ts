/** Rows of COPY, as pieces of a size that is worth sending. */
import type { Readable } from "node:stream";
import { CsvRewriter, csvLine } from "../../infrastructure/csv.ts";

/** Changes bytes on their way. */
export interface Rewriter {
  /** Bytes that `take` would return. */
  readonly size: number;
  add(bytes: Uint8Array): void;
  take(): Uint8Array<ArrayBuffer>;
}

const pieceBytes = 128 * 1024;
const utf8 = new TextEncoder();

/** CSV with its header line. */
export function csvRewriter(columns: readonly string[], isMoment: readonly boolean[]): Rewriter {
  const rewriter = new CsvRewriter(isMoment, 2 * pieceBytes);
  rewriter.start(utf8.encode(csvLine(columns)));
  return rewriter;
}

/** Lines of JSON need no change. */
export function lineCollector(): Rewriter {
  let parts: Uint8Array[] = [];
  let size = 0;
  return {
    get size() {
      return size;
    },
    add: (bytes) => {
      parts.push(bytes);
      size += bytes.length;
    },
    take: () => {
      const piece = new Uint8Array(Buffer.concat(parts));
      parts = [];
      size = 0;
      return piece;
    },
  };
}

/** Never holds more than two pieces and a row. Throws what the stream fails with. */
export async function* piecesOf(
  stream: Readable,
  rewriter: Rewriter,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let wake = () => {};
  const woken = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  let outcome: { error?: unknown } | undefined;
  const settle = (result: { error?: unknown }) => {
    outcome ??= result;
    wake();
  };
  stream.on("data", (bytes: Uint8Array) => {
    rewriter.add(bytes);
    if (rewriter.size < pieceBytes) return;
    stream.pause();
    wake();
  });
  stream.once("end", () => settle({}));
  stream.once("error", (error) => settle({ error }));
  stream.once("close", () => settle({ error: new Error("the rows ended early") }));
  for (;;) {
    if (!outcome && rewriter.size < pieceBytes) await woken();
    if (outcome && "error" in outcome) throw outcome.error;
    const isLast = outcome !== undefined;
    const piece = rewriter.take();
    // The next piece is collected while this one is sent.
    if (!isLast) stream.resume();
    if (piece.length > 0) yield piece;
    if (isLast) return;
  }
}
