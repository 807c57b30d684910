/** Files on their way through the server: in as a temporary local file, out as a stream. Never in memory whole. */

/** A file of a multipart request, streamed to disk. Gone once the request is answered. */
export interface ReceivedFile {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** Hexadecimal, lower case; taken on the way in. */
  readonly sha256: string;
  /** As the client named it, without any folders. */
  readonly fileName: string;
  /** The part's `Content-Type`; undefined where the client gave none. */
  readonly declaredType: string | undefined;
}

/** A file's bytes to be sent. */
export type FileStream = ReadableStream<Uint8Array>;
