/**
 * Objects in a bucket of an S3 server, through the `minio` client.
 *
 * The behavior of that client decided four things:
 * - Its `putObject` keeps a body of up to 64 MiB in memory, and resumes an earlier upload of a larger one. So `send`
 *   uses the request below `putObject`, which signs and streams a body of known length and digest in one PUT. The
 *   digest is signed (or, over TLS, sent as a checksum), so the server refuses bytes that changed on the way.
 * - It has no time limits and cannot abort. So each call has its own client (3 µs). The requests of that client carry
 *   the signal of the call, and a stall clock ends them.
 * - Its retry sends a stream that is already read, and leaves the socket of the failed answer open. So it is off.
 * - It reads a key such as `0x10` as a number in lists of version 2, but not in those of version 1.
 */
import { createReadStream } from "node:fs";
import * as http from "node:http";
import * as https from "node:https";
import { Readable } from "node:stream";
import { Client } from "minio";
import type { S3Config } from "../config.ts";
import { type StallClock, startStallClock } from "./stallClock.ts";
import {
  checkKey,
  type ListedObject,
  type LocalFile,
  readAnnounced,
  type Storage,
  type StoredObject,
  unavailable,
} from "./storage.ts";

export interface S3Options {
  /** Milliseconds for the server to connect, to take or give a chunk, or to answer. Default 8,000. */
  readonly stallMs?: number;
}

type Work<T> = (client: Client, clock: StallClock) => Promise<T>;

interface Attempt {
  readonly waitMs: number;
  /** Whether it gets a connection of its own. */
  readonly isFresh: boolean;
}

/** Keeps objects in `config.bucket`. `prepare` creates the bucket. */
export function s3Storage(config: S3Config, { stallMs = 8_000 }: S3Options = {}): Storage {
  const { bucket, region } = config;

  async function attempt<T>(work: Work<T>, { waitMs, isFresh }: Attempt): Promise<T> {
    const clock = startStallClock(waitMs);
    try {
      return await clock.race(work(clientOf(config, clock, isFresh), clock));
    } catch (cause) {
      const reason = clock.signal.aborted ? clock.signal.reason : cause;
      clock.abort();
      throw reason;
    } finally {
      clock.rest();
    }
  }

  // A connection that was kept open breaks on its next use if the server has closed it. So every call may be made
  // twice, within the time of one: none does harm when it is repeated. The second time it gets a new connection, because
  // the server may have closed all that were kept.
  async function call<T>(work: Work<T>): Promise<T> {
    const begun = performance.now();
    try {
      return await attempt(work, { waitMs: stallMs, isFresh: false }).catch((cause) => {
        const waitMs = stallMs - (performance.now() - begun);
        return isBroken(cause) && waitMs > 0
          ? attempt(work, { waitMs, isFresh: true })
          : Promise.reject(cause);
      });
    } catch (cause) {
      throw unavailable(explained(cause));
    }
  }

  async function put(key: string, file: LocalFile): Promise<void> {
    checkKey(key);
    // Checks the file before the first byte is sent, because some servers keep an upload that breaks off.
    for await (const _ of readAnnounced(file));
    await call((client, clock) => send(client, { bucket, key, file, clock }));
  }

  async function get(key: string): Promise<StoredObject | undefined> {
    checkKey(key);
    return call(async (client, clock) => {
      const answer = await missingAsUndefined(client.getObject(bucket, key));
      if (answer === undefined) return undefined;
      const size = Number((answer as http.IncomingMessage).headers["content-length"]);
      return { size, body: bodyOf(answer, { size, clock }) };
    });
  }

  async function remove(key: string): Promise<void> {
    checkKey(key);
    await call((client) => missingAsUndefined(client.removeObject(bucket, key)));
  }

  async function* list(prefix: string): AsyncGenerator<ListedObject> {
    const page = (after: string) =>
      call((client) => client.listObjectsQuery(bucket, prefix, after, { Delimiter: "", MaxKeys: 1000 }));
    for (let after = "", more = true; more; ) {
      const { objects, isTruncated } = await page(after);
      for (const { name = "", size = 0, lastModified } of objects) {
        yield { key: name, size, modifiedAt: new Date(lastModified ?? 0) };
        after = name;
      }
      more = isTruncated === true && objects.length > 0;
    }
  }

  function prepare(): Promise<void> {
    return call(async (client) => {
      if (await client.bucketExists(bucket)) return;
      // Several processes may create it at once. Servers have different errors for the second one.
      await client.makeBucket(bucket, region).catch(async (cause) => {
        if (!(await client.bucketExists(bucket))) throw cause;
      });
    });
  }

  function ready(): Promise<void> {
    return call(async (client) => {
      if (!(await client.bucketExists(bucket))) throw new Error(`The bucket ${bucket} does not exist`);
    });
  }

  return { isLocal: false, put, get, remove, list, prepare, ready };
}

/** A client whose requests end with the clock. The region is given, so that the client does not ask for it. */
function clientOf(
  { endpoint, region, accessKey, secretKey }: S3Config,
  clock: StallClock,
  isFresh: boolean,
): Client {
  const useSSL = endpoint.protocol === "https:";
  const { request } = useSSL ? https : http;
  const transport = {
    // The server may answer before the whole body is sent, and sending then fails. The answer gets a moment to be read,
    // because it says why. Without the abort it could hang.
    request: (options: http.RequestOptions, answer: (response: http.IncomingMessage) => void) =>
      request({ ...options, ...(isFresh && { agent: false }), signal: clock.signal }, answer).on(
        "error",
        (reason) => {
          setTimeout(clock.abort, 100, reason);
        },
      ),
  };
  return new Client({
    endPoint: endpoint.hostname.replace(/^\[|\]$/g, ""),
    port: Number(endpoint.port),
    useSSL,
    region,
    accessKey,
    secretKey,
    pathStyle: true,
    retryOptions: { disableRetry: true },
    transport: transport as Pick<typeof http, "request">,
  });
}

interface Upload {
  readonly bucket: string;
  readonly key: string;
  readonly file: LocalFile;
  readonly clock: StallClock;
}

async function send(client: Client, { bucket, key, file, clock }: Upload): Promise<void> {
  const headers = {
    "content-type": file.contentType,
    "content-length": String(file.size),
    "x-amz-checksum-sha256": Buffer.from(file.sha256, "hex").toString("base64"),
  };
  const digest = client.enableSHA256 ? file.sha256 : "";
  const request = { method: "PUT", bucketName: bucket, objectName: key, headers };
  const answer = await client.makeRequestStreamAsync(request, contentOf(file, clock), digest, [200], "");
  for await (const _ of answer);
}

/** The bytes of the file, at most the announced size. Each chunk that the server takes restarts the clock. */
function contentOf(file: LocalFile, clock: StallClock): Readable | Buffer {
  if (file.size === 0) return Buffer.alloc(0);
  const chunks = async function* () {
    for await (const chunk of createReadStream(file.path, {
      end: file.size - 1,
      highWaterMark: 64 * 1024,
    })) {
      clock.expect();
      yield chunk;
    }
  };
  return Readable.from(chunks(), { objectMode: false, highWaterMark: 64 * 1024 });
}

function bodyOf(
  answer: Readable,
  { size, clock }: { size: number; clock: StallClock },
): ReadableStream<Uint8Array> {
  const chunks = answer[Symbol.asyncIterator]();
  let received = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      clock.expect();
      try {
        const { done, value } = await chunks.next();
        if (done && received !== size) throw new Error(`The object ended after ${received} of ${size} bytes`);
        if (done) return controller.close();
        received += value.length;
        controller.enqueue(value);
      } catch (cause) {
        const reason = clock.signal.aborted ? clock.signal.reason : cause;
        clock.abort();
        controller.error(unavailable(reason));
      } finally {
        clock.rest();
      }
    },
    cancel: () => clock.abort(),
  });
}

async function missingAsUndefined<T>(work: Promise<T>): Promise<T | undefined> {
  return work.catch((cause) => {
    if (codeOf(cause) === "NoSuchKey") return undefined;
    throw cause;
  });
}

function isBroken(cause: unknown): boolean {
  return ["ECONNRESET", "EPIPE"].includes(String(codeOf(cause)));
}

/** Explains the error of a wrong clock: S3 refuses requests whose time is more than 15 minutes from its own. */
function explained(cause: unknown): unknown {
  if (codeOf(cause) !== "RequestTimeTooSkewed") return cause;
  const message =
    "this machine's clock is too far from the object storage's (RequestTimeTooSkewed): correct the clock";
  return new Error(message, { cause });
}

function codeOf(cause: unknown): unknown {
  return cause instanceof Error && "code" in cause ? cause.code : undefined;
}
