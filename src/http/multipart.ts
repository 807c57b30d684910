/**
 * A multipart/form-data body, streamed: the file goes to disk as it arrives, hashed on the way, so that memory does
 * not grow with the size or the number of uploads in flight (design 8).
 */
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { Busboy } from "@fastify/busboy";
import { writeAndHash } from "../file.ts";
import { unstorable } from "../json.ts";
import { Problem } from "../problem.ts";

export interface MultipartLimits {
  /** Where temporary files go. */
  readonly folder: string;
  readonly maxFileBytes: number;
  readonly timeoutMs: number;
}

export interface MultipartBody {
  /** Fields by name: strings, and a `ReceivedFile` for the file. */
  readonly value: Readonly<Record<string, unknown>>;
  /** Removes the temporary file. */
  dispose(): Promise<void>;
}

/** For the fields, their headers and the boundaries, beside the file's own bytes. */
const overheadBytes = 128 * 1024;
const fieldBytes = 16 * 1024;

/**
 * Reads the body. Throws `unsupported_media_type`, `payload_too_large` as soon as the file passes its limit,
 * `request_timeout`, and `bad_request` for a body that breaks off or is no multipart/form-data; then nothing is left.
 */
export async function readMultipartBody(request: Request, limits: MultipartLimits): Promise<MultipartBody> {
  const contentType = request.headers.get("content-type") ?? "";
  if (!/^multipart\/form-data\s*;/i.test(contentType))
    throw new Problem("unsupported_media_type", { message: "The body must be multipart/form-data." });
  if (Number(request.headers.get("content-length") ?? 0) > limits.maxFileBytes + overheadBytes)
    throw tooLarge(limits);
  if (!request.body) throw malformed("The body is empty.");
  await mkdir(limits.folder, { recursive: true }).catch((cause) => {
    throw new Problem("storage_unavailable", { cause });
  });
  const path = join(limits.folder, crypto.randomUUID());
  const dispose = () => rm(path, { force: true });
  try {
    const value = await parse(request.body, { contentType, path, limits });
    return { value, dispose };
  } catch (error) {
    await dispose();
    throw error instanceof Problem ? error : incomplete(error);
  }
}

interface Parsing {
  readonly contentType: string;
  readonly path: string;
  readonly limits: MultipartLimits;
}

async function parse(body: ReadableStream<Uint8Array>, { contentType, path, limits }: Parsing) {
  const value: Record<string, unknown> = Object.create(null);
  const abort = new AbortController();
  const fail = (problem: Problem) => abort.abort(problem);
  const set = (name: string, item: unknown) => {
    if (Object.hasOwn(value, name)) fail(malformed(`The field "${name.slice(0, 100)}" stands twice.`));
    value[name] = item;
  };
  const parser = new Busboy({
    headers: { "content-type": contentType },
    limits: { files: 1, fileSize: limits.maxFileBytes, fields: 20, parts: 21, fieldSize: fieldBytes },
  });
  const files: Promise<void>[] = [];
  parser.on("file", (name, stream, fileName, _encoding, declaredType) => {
    // From the first moment on: an error that nobody listens to would end the process.
    stream.on("error", (cause) => fail(incomplete(cause)));
    stream.once("limit", () => fail(tooLarge(limits)));
    abort.signal.addEventListener("abort", () => stream.destroy());
    if (!name) return fail(malformed("A part has no name."));
    const received = writeAndHash(stream as AsyncIterable<Uint8Array>, path).then((written) => {
      set(name, {
        path,
        ...written,
        fileName: decodeFileName(fileName ?? ""),
        declaredType: said(declaredType),
      });
    });
    received.catch((cause) => fail(new Problem("storage_unavailable", { cause })));
    files.push(received);
  });
  parser.on("field", (name, text, _nameTruncated, truncated) => {
    if (!name) return fail(malformed("A part has no name."));
    if (truncated) fail(malformed(`The field "${name.slice(0, 100)}" is too long.`));
    const detail = unstorable(name) ?? unstorable(text);
    if (detail) fail(malformed(detail));
    set(name, text);
  });
  parser.on("filesLimit", () => fail(malformed("There is more than one file.")));
  parser.on("fieldsLimit", () => fail(malformed("There are too many fields.")));
  parser.on("partsLimit", () => fail(malformed("There are too many parts.")));
  const deadline = setTimeout(() => fail(new Problem("request_timeout")), limits.timeoutMs);
  try {
    await pipeline(bounded(body, limits), parser, { signal: abort.signal });
    await Promise.all(files);
    abort.signal.throwIfAborted();
    return { ...value };
  } catch (error) {
    abort.abort(error);
    await Promise.allSettled(files);
    throw abort.signal.reason;
  } finally {
    clearTimeout(deadline);
  }
}

/** Ends a body that has more bytes than any good one, wherever they are: the parser skips what belongs to no field. */
async function* bounded(body: AsyncIterable<Uint8Array>, limits: MultipartLimits) {
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > limits.maxFileBytes + overheadBytes) throw tooLarge(limits);
    yield chunk;
  }
}

/** The parser takes a part that names no content type, as some clients send files, for text/plain (RFC 7578, 4.4). */
const said = (declaredType: string) => (declaredType === "text/plain" ? undefined : declaredType);

/** Undoes what form-data encoding does to a name: quotes and line breaks, and nothing else, are percent-encoded. */
const decodeFileName = (name: string) =>
  name.replaceAll("%22", '"').replaceAll(/%0D/gi, "\r").replaceAll(/%0A/gi, "\n");

const malformed = (message: string, cause?: unknown) => new Problem("bad_request", { message, cause });

const incomplete = (cause: unknown) => malformed("The body is not complete multipart/form-data.", cause);

const tooLarge = ({ maxFileBytes }: MultipartLimits) =>
  new Problem("payload_too_large", { message: `The file is larger than ${maxFileBytes} bytes.` });
