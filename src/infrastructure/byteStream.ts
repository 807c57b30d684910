/** The body of an answer that is made while it is sent. */
export interface ByteStream {
  /** Fails if the rest cannot be made. Then the connection breaks, so nobody takes a part for the whole. */
  readonly byteStream: ReadableStream<Uint8Array>;
  /** Resolves when the stream has ended, for whatever reason. */
  readonly ended: Promise<void>;
}

export const isByteStream = (body: unknown): body is ByteStream =>
  typeof body === "object" &&
  body !== null &&
  "byteStream" in body &&
  body.byteStream instanceof ReadableStream;
