/** Receives a body that is one file, such as the rows of an import, into a file on the disk. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { ReceivedFile } from "../generated/schemas.ts";
import { type DiskSpace, isDiskFull, noRoom } from "../infrastructure/diskSpace.ts";
import { writeAndHash } from "../infrastructure/localFile.ts";
import { makePrivateFolder } from "../infrastructure/privateFolder.ts";
import { Problem } from "../infrastructure/problem.ts";
import { type BodyPlace, takeRoom } from "./bodyRoom.ts";
import { stallMs, timeToSend, watchPace } from "./pace.ts";

export interface FileLimits {
  readonly contentTypes: readonly string[];
  /** Where the file goes. */
  readonly folder: string;
  readonly maxBytes: number;
  readonly timeoutMs?: number | undefined;
  readonly stallMs?: number | undefined;
}

export interface FileBody {
  readonly file: ReceivedFile;
  /** Deletes the file. */
  dispose(): Promise<void>;
}

/** The media type of a body, in lower case and without parameters. */
export const mediaTypeOf = (request: Request): string =>
  (request.headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";

/**
 * Leaves no file behind if it throws:
 * - `overloaded` if there is no room for the body
 * - `unsupported_media_type` for a compressed body, or one in another encoding than UTF-8
 * - `payload_too_large`, as soon as the size is known
 * - `request_timeout`
 * - `bad_request` if the body ends too early
 * - `insufficient_storage` if the disk is full
 */
export async function readFileBody(
  request: Request,
  limits: FileLimits,
  { place, disk }: { readonly place: BodyPlace; readonly disk: DiskSpace },
): Promise<FileBody> {
  requirePlain(request);
  const announced = Number(request.headers.get("content-length") ?? Number.NaN);
  if (announced > limits.maxBytes) throw tooLarge(limits);
  await makePrivateFolder(limits.folder).catch((cause) => {
    throw new Problem("storage_unavailable", { cause });
  });
  const leave = await takeRoom(place.room.uploads, place.group);
  const path = join(limits.folder, crypto.randomUUID());
  const held = holdInSteps(disk);
  const dispose = async () => {
    await rm(path, { force: true });
    held.release();
  };
  try {
    const bytes = paced(request, announced, limits);
    const written = await writeAndHash(held.before(bytes), path);
    return { file: { path, ...written, fileName: "", declaredType: mediaTypeOf(request) }, dispose };
  } catch (error) {
    await dispose();
    if (error instanceof Problem) throw error;
    throw isDiskFull(error) ? noRoom({ cause: error }) : endedEarly(error);
  } finally {
    leave();
  }
}

function requirePlain({ headers }: Request): void {
  const encoding = headers.get("content-encoding");
  if (encoding !== null && encoding !== "identity")
    throw new Problem("unsupported_media_type", { message: "The body must not be compressed." });
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(headers.get("content-type") ?? "")?.[1];
  if (charset !== undefined && !/^(utf-?8|us-ascii)$/i.test(charset))
    throw new Problem("unsupported_media_type", { message: "The file must be in UTF-8." });
}

/** The chunks of the body. Throws when there are too many bytes, and when they arrive too slowly. */
async function* paced(request: Request, announced: number, limits: FileLimits) {
  const reader = request.body?.getReader();
  if (!reader) return;
  let failure: Problem | undefined;
  const pace = watchPace(
    {
      timeoutMs: limits.timeoutMs ?? timeToSend(announced || limits.maxBytes),
      stallMs: limits.stallMs ?? stallMs,
    },
    (problem) => {
      failure = problem;
      reader.cancel().catch(() => {});
    },
  );
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (failure) throw failure;
      if (done) break;
      size += value.byteLength;
      if (size > limits.maxBytes) throw tooLarge(limits);
      pace.arrived(value.byteLength);
      yield value;
    }
    if (announced > size) throw endedEarly();
  } finally {
    pace.stop();
    reader.cancel().catch(() => {});
  }
}

const stepBytes = 64 * 1024 ** 2;

/** Holds space on the disk step by step, because the size of a body need not be known. */
function holdInSteps(disk: DiskSpace) {
  const releases: (() => void)[] = [];
  let room = 0;
  return {
    async *before(chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        for (room -= chunk.byteLength; room < 0; room += stepBytes) releases.push(await disk.hold(stepBytes));
        yield chunk;
      }
    },
    release: () => {
      for (const release of releases) release();
    },
  };
}

const endedEarly = (cause?: unknown) =>
  new Problem("bad_request", { message: "The body ended too early.", cause });

const tooLarge = ({ maxBytes }: FileLimits) =>
  new Problem("payload_too_large", { message: `The file is larger than ${maxBytes} bytes.` });
