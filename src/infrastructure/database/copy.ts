/** COPY on a connection of the pool: rows as a stream of bytes, out of the database and into it. */
import type { Readable } from "node:stream";
import type postgres from "postgres";

export interface Copies {
  /** The bytes of `copy … to stdout`. The stream fails if the statement does. COPY takes no parameters. */
  out(text: string): Promise<Readable>;
  /** Begins `copy … from stdin`. */
  into(text: string): Promise<CopyInto>;
  /** Closes the connection in the middle of its work. The database then rolls back. */
  abandon(): void;
}

/** Each function throws the database's error as soon as the statement has failed. */
export interface CopyInto {
  /** Resolves when the bytes are on their way, so that memory does not fill up before a slow database. */
  write(bytes: Uint8Array): Promise<void>;
  /** Resolves when every row is in the table. */
  end(): Promise<void>;
  /** Ends the statement without success. The transaction can only be rolled back then. */
  cancel(): Promise<void>;
}

export function copiesOn(sql: postgres.TransactionSql, abandon: () => void): Copies {
  let reading: Readable | undefined;
  return {
    out: async (text) => {
      const stream = await sql.unsafe(text).readable();
      // postgres.js pauses the socket for a slow reader. If the last row did that, nobody reads what comes after it.
      stream.once("end", () => stream._read(0));
      reading = stream;
      return stream;
    },
    into: (text) => copyInto(sql, text),
    abandon: () => {
      // postgres.js has paused the socket if nobody reads. It closes only after what has arrived is read.
      reading
        ?.removeAllListeners("data")
        .on("error", () => {})
        .resume();
      abandon();
    },
  };
}

async function copyInto(sql: postgres.TransactionSql, text: string): Promise<CopyInto> {
  const query = sql.unsafe(text);
  const failed = failureOf(query);
  const stream = await query.writable();
  // Errors arrive through `failed`. Without a listener, they would end the process.
  stream.on("error", () => {});
  return {
    write: (bytes) =>
      Promise.race([
        failed,
        new Promise<void>((resolve, reject) => {
          stream.write(bytes, (error) => (error ? reject(error) : resolve()));
        }),
      ]),
    end: () => Promise.race([failed, new Promise<void>((resolve) => stream.end(resolve))]),
    cancel: async () => {
      stream.destroy(new Error("cancelled"));
      await failed.catch(() => {});
    },
  };
}

/**
 * Rejects when the statement fails. postgres.js 3.4.9 loses the error of a COPY that fails after its last byte, as it
 * does for a row that breaks a unique index: the query is settled with the stream by then, and the stream is forgotten.
 * So the query's own `reject` is listened to.
 */
function failureOf(query: object): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => {});
  const settled = query as { reject(error: unknown): void };
  const original = settled.reject;
  settled.reject = (error) => {
    reject(error);
    original(error);
  };
  return promise;
}
