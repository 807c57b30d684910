/** The body of an answer that is made while it is sent. */
export interface ByteStream {
  /** Fails if the rest cannot be made. Then the connection breaks, so nobody takes a part for the whole. */
  readonly byteStream: ReadableStream<Uint8Array>;
  /** Resolves when the stream has ended, for whatever reason. */
  readonly ended: Promise<void>;
}

const pieceLength = 64 * 1024;

/** Texts as a stream of pieces of a size that is worth sending. `onError` gets what breaks it off. */
export function streamTexts(texts: AsyncGenerator<string>, onError: (err: unknown) => void): ByteStream {
  const ended = Promise.withResolvers<void>();
  const encoder = new TextEncoder();
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    try {
      let piece = "";
      let isDone = false;
      while (!isDone && piece.length < pieceLength) {
        const next = await texts.next();
        isDone = next.done === true;
        piece += next.value ?? "";
      }
      if (piece !== "") controller.enqueue(encoder.encode(piece));
      if (!isDone) return;
      controller.close();
      ended.resolve();
    } catch (err) {
      onError(err);
      ended.resolve();
      throw err;
    }
  };
  const cancel = async () => {
    ended.resolve();
    await texts.return(undefined);
  };
  const byteStream = new ReadableStream<Uint8Array>({ pull, cancel }, { highWaterMark: 0 });
  return { byteStream, ended: ended.promise };
}

export const isByteStream = (body: unknown): body is ByteStream =>
  typeof body === "object" &&
  body !== null &&
  "byteStream" in body &&
  body.byteStream instanceof ReadableStream;
