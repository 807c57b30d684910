/**
 * A multipart/form-data body, streamed: files go to disk as they arrive, hashed on the way, so that memory does not
 * grow with the size or the number of uploads in flight (design 8).
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

/** For the fields, their headers and the boundaries, beside the files' own bytes. */
export const overheadBytes = 128 * 1024;

export interface MultipartLimits extends MultipartShape {
  /** Where temporary files go. */
  readonly folder: string;
  readonly maxFileBytes: number;
  /** All of it: files, fields, their headers and the boundaries. */
  readonly maxBodyBytes: number;
  /** For the whole body. By its size where absent. */
  readonly timeoutMs?: number | undefined;
  /** Without progress. */
  readonly stallMs?: number | undefined;
}

export interface MultipartBody {
  /** Fields by name: strings, a `ReceivedFile` for a file, an array of them where the shape says many. */
  readonly value: Readonly<Record<string, unknown>>;
  /** Removes the temporary files. */
  dispose(): Promise<void>;
}

/** 10,000 characters of any script, the longest text of the contract, and what else a field may be. */
const fieldBytes = 64 * 1024;
const maxFields = 20;

/**
 * Reads the body. Throws `overloaded` where there is no room for it, `unsupported_media_type`, `payload_too_large` as soon as a file or the whole passes its limit,
 * `request_timeout`, and `bad_request` for a body that breaks off, is no multipart/form-data, or has more files than
 * the shape allows; then nothing is left.
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
  /** Takes the path of each temporary file before it is made. */
  readonly paths: string[];
  readonly limits: MultipartLimits;
  readonly pace: PaceLimits;
}

async function parse(body: ReadableStream<Uint8Array>, { contentType, paths, limits, ...parsing }: Parsing) {
  const fields = collectFields(limits);
  const abort = new AbortController();
  const fail = (problem: Problem) => abort.abort(problem);
  const refuse = (fault: string | undefined) => fault !== undefined && fail(malformed(fault));
  const parser = new Busboy({ headers: { "content-type": contentType }, limits: parserLimits(limits) });
  const files: Promise<ReceivedFile>[] = [];
  parser.on("file", (name, stream, fileName, _encoding, declaredType) => {
    // From the first moment on: an error that nobody listens to would end the process.
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
  const pace = watchPace(parsing.pace, fail);
  const reader = body.getReader();
  // The pipeline waits for the read that it is in, which a body that stalls never ends.
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
  return { path, ...written, fileName: decodeFileName(fileName), declaredType: said(declaredType) };
}

/** Ends a body that has more bytes than any good one, wherever they are: the parser skips what belongs to no field. */
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

/** The parser gets small pieces: a refused body ends after one piece, and a piece may hold thousands of parts. */
const pieceBytes = 64 * 1024;

/** The parser takes a part that names no content type, as some clients send files, for text/plain (RFC 7578, 4.4). */
const said = (declaredType: string) => (declaredType === "text/plain" ? undefined : declaredType);

/** Undoes what form-data encoding does to a name: quotes and line breaks, and nothing else, are percent-encoded. */
const decodeFileName = (name: string) =>
  name.replaceAll("%22", '"').replaceAll(/%0D/gi, "\r").replaceAll(/%0A/gi, "\n");

const malformed = (message: string, cause?: unknown) => new Problem("bad_request", { message, cause });

const incomplete = (cause: unknown) => malformed("The body is not complete multipart/form-data.", cause);

const tooManyFiles = ({ maxFiles }: MultipartLimits) =>
  maxFiles === 1 ? "There is more than one file." : `There are more than ${maxFiles} files.`;

const fileTooLarge = ({ maxFileBytes }: MultipartLimits) =>
  new Problem("payload_too_large", { message: `The file is larger than ${maxFileBytes} bytes.` });

/** Where there is one file, it is the body for all that its sender knows. */
const bodyTooLarge = (limits: MultipartLimits) =>
  limits.maxFiles === 1
    ? fileTooLarge(limits)
    : new Problem("payload_too_large", {
        message: `The body is larger than ${limits.maxBodyBytes} bytes, the most that this operation takes.`,
      });
