/**
 * Reads a multipart/form-data body as a stream. Files go to disk as they arrive and are hashed on the way, so memory
 * does not grow with the size or number of simultaneous uploads (docs/decisions/attachments.md).
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { Busboy } from "@fastify/busboy";
import type { ReceivedFile } from "../generated/schemas.ts";
import { isDiskFull, noRoom } from "../infrastructure/diskSpace.ts";
import { writeAndHash } from "../infrastructure/localFile.ts";
import { makePrivateFolder } from "../infrastructure/privateFolder.ts";
import { Problem } from "../infrastructure/problem.ts";
import { type BodyPlace, takeRoom } from "./bodyRoom.ts";
import { collectFields } from "./multipartFields.ts";
import type { MultipartShape } from "./multipartShape.ts";
import { type Pace, type PaceLimits, stallMs, timeToSend, watchPace } from "./pace.ts";

/** For fields, their headers and the boundaries, in addition to the bytes of the files. */
export const overheadBytes = 128 * 1024;

export interface MultipartLimits extends MultipartShape {
  /** Where temporary files go. */
  readonly folder: string;
  readonly maxFileBytes: number;
  /** For the whole body: files, fields, their headers and the boundaries. */
  readonly maxBodyBytes: number;
  /** For the whole body. If absent, it depends on the body's size. */
  readonly timeoutMs?: number | undefined;
  /** How long the body may make no progress. */
  readonly stallMs?: number | undefined;
}

export interface MultipartBody {
  /** Fields by name: a string, a `ReceivedFile`, or an array of them if the shape allows many. */
  readonly value: Readonly<Record<string, unknown>>;
  /** Deletes the temporary files. */
  dispose(): Promise<void>;
}

/** Enough for the longest text of the contract: 10,000 characters of any script. */
const fieldBytes = 64 * 1024;
const maxFields = 20;

/**
 * Reads the body. Leaves no file behind if it throws:
 * - `overloaded` if there is no room for the body
 * - `unsupported_media_type`
 * - `payload_too_large`, as soon as a file or the whole body passes its limit
 * - `request_timeout`
 * - `bad_request` for a body that breaks off, is not multipart/form-data, or has more files than the shape allows
 * - `storage_unavailable` or `insufficient_storage` if a file cannot be written
 */
export async function readMultipartBody(
  request: Request,
  limits: MultipartLimits,
  { room, group }: BodyPlace,
): Promise<MultipartBody> {
  const contentType = request.headers.get("content-type") ?? "";
  if (!/^multipart\/form-data\s*;/i.test(contentType))
    throw new Problem("unsupported_media_type", { message: "The body must be multipart/form-data." });
  const announced = Number(request.headers.get("content-length") ?? limits.maxBodyBytes);
  if (announced > limits.maxBodyBytes) throw bodyTooLarge(limits);
  if (!request.body) throw malformed("The body is empty.");
  await makePrivateFolder(limits.folder).catch((cause) => {
    throw new Problem("storage_unavailable", { cause });
  });
  const leave = await takeRoom(room.uploads, group);
  const paths: string[] = [];
  const dispose = async () => {
    await Promise.all(paths.map((path) => rm(path, { force: true })));
  };
  try {
    const pace = { timeoutMs: limits.timeoutMs ?? timeToSend(announced), stallMs: limits.stallMs ?? stallMs };
    const value = await parse(request.body, { contentType, paths, limits, pace });
    return { value, dispose };
  } catch (error) {
    await dispose();
    throw error instanceof Problem ? error : incomplete(error);
  } finally {
    leave();
  }
}

interface Parsing {
  readonly contentType: string;
  /** Gets the path of each temporary file before the file is created. */
  readonly paths: string[];
  readonly limits: MultipartLimits;
  readonly pace: PaceLimits;
}

async function parse(body: ReadableStream<Uint8Array>, parsing: Parsing): Promise<Record<string, unknown>> {
  const { limits } = parsing;
  const abort = new AbortController();
  const { parser, fields, files } = createParser(parsing, abort);
  const pace = watchPace(parsing.pace, (problem) => abort.abort(problem));
  const reader = body.getReader();
  // The pipeline waits for its current read, which never ends if the body stalls.
  abort.signal.addEventListener("abort", () => void reader.cancel().catch(() => {}));
  try {
    await pipeline(bounded(reader, { limits, pace }), parser, { signal: abort.signal });
    abort.signal.throwIfAborted();
    const value = await fields.complete();
    abort.signal.throwIfAborted();
    return value;
  } catch (error) {
    abort.abort(error);
    await Promise.allSettled(files);
    throw abort.signal.reason;
  } finally {
    pace.stop();
  }
}

/** A parser that collects fields, writes files, and aborts with a Problem at the first fault. */
function createParser({ contentType, paths, limits }: Parsing, abort: AbortController) {
  const fields = collectFields(limits);
  const fail = (problem: Problem) => abort.abort(problem);
  const refuse = (fault: string | undefined) => fault !== undefined && fail(malformed(fault));
  const parser = new Busboy({ headers: { "content-type": contentType }, limits: parserLimits(limits) });
  const files: Promise<ReceivedFile>[] = [];
  parser.on("file", (name, stream, fileName, _encoding, declaredType) => {
    // Listens at once, because an error without a listener would end the process.
    stream.on("error", (cause) => fail(incomplete(cause)));
    stream.once("limit", () => fail(fileTooLarge(limits)));
    abort.signal.addEventListener("abort", () => stream.destroy());
    const path = join(limits.folder, crypto.randomUUID());
    paths.push(path);
    const file = receive(stream, { path, fileName, declaredType });
    file.catch((cause) =>
      fail(isDiskFull(cause) ? noRoom({ cause }) : new Problem("storage_unavailable", { cause })),
    );
    files.push(file);
    refuse(fields.addFile(name, file));
  });
  parser.on("field", (name, text, _nameTruncated, truncated) => {
    refuse(fields.addText(name, text, { truncated }));
  });
  parser.on("filesLimit", () => refuse(tooManyFiles(limits)));
  parser.on("fieldsLimit", () => refuse("There are too many fields."));
  parser.on("partsLimit", () => refuse("There are too many parts."));
  return { parser, fields, files };
}

const parserLimits = ({ maxFiles, maxFileBytes }: MultipartLimits) => ({
  files: maxFiles,
  fileSize: maxFileBytes,
  fields: maxFields,
  fieldSize: fieldBytes,
  parts: maxFields + maxFiles,
});

interface FilePart {
  readonly path: string;
  readonly fileName: string | undefined;
  readonly declaredType: string;
}

async function receive(
  stream: AsyncIterable<Uint8Array>,
  { path, fileName = "", declaredType }: FilePart,
): Promise<ReceivedFile> {
  const written = await writeAndHash(stream, path);
  return { path, ...written, fileName: decodeFileName(fileName), declaredType: givenType(declaredType) };
}

/** Refuses a body with too many bytes. Counts all of them, because the parser skips bytes that belong to no field. */
async function* bounded(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  { limits, pace }: { readonly limits: MultipartLimits; readonly pace: Pace },
) {
  let size = 0;
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      size += read.value.byteLength;
      pace.arrived(read.value.byteLength);
      if (size > limits.maxBodyBytes) throw bodyTooLarge(limits);
      for (let at = 0; at < read.value.byteLength; at += pieceBytes)
        yield read.value.subarray(at, at + pieceBytes);
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** Small, because a refused body ends only after the current piece, and a piece may hold thousands of parts. */
const pieceBytes = 64 * 1024;

/** Some clients send files without a content type. The parser reports text/plain for these (RFC 7578, 4.4). */
const givenType = (declaredType: string) => (declaredType === "text/plain" ? undefined : declaredType);

/** Decodes a file name. Form-data encoding percent-encodes only quotes and line breaks. */
const decodeFileName = (name: string) =>
  name.replaceAll("%22", '"').replaceAll(/%0D/gi, "\r").replaceAll(/%0A/gi, "\n");

const malformed = (message: string, cause?: unknown) => new Problem("bad_request", { message, cause });

const incomplete = (cause: unknown) => malformed("The body is not complete multipart/form-data.", cause);

const tooManyFiles = ({ maxFiles }: MultipartLimits) =>
  maxFiles === 1 ? "There is more than one file." : `There are more than ${maxFiles} files.`;

const fileTooLarge = ({ maxFileBytes }: MultipartLimits) =>
  new Problem("payload_too_large", { message: `The file is larger than ${maxFileBytes} bytes.` });

/** If a body takes only one file, its sender thinks of the file, not of the body. */
const bodyTooLarge = (limits: MultipartLimits) =>
  limits.maxFiles === 1
    ? fileTooLarge(limits)
    : new Problem("payload_too_large", {
        message: `The body is larger than ${limits.maxBodyBytes} bytes, the limit of this operation.`,
      });
