/** Reads a JSON body: with limits on size, time and memory, strict decoding, and no loss of digits. */
import { parseJson, parseJsonInTurns, smallText } from "../infrastructure/json.ts";
import { Problem } from "../infrastructure/problem.ts";
import { withTimeout } from "../infrastructure/withTimeout.ts";
import { type BodyPlace, noRoom, takeRoom } from "./bodyRoom.ts";
import { stallMs, timeToSend, tooSlow, watchPace } from "./pace.ts";

export interface BodyLimits {
  readonly maxBytes: number;
  /** For the whole body. If absent, it depends on the body's size. */
  readonly timeoutMs?: number | undefined;
  /** How long the body may make no progress. */
  readonly stallMs?: number | undefined;
  /** Whether to compute the body's digest. */
  readonly digest?: boolean;
}

export interface JsonBody {
  readonly value: unknown;
  /** SHA-256 of the bytes. Only if the limits ask for it. */
  readonly digest?: Uint8Array | undefined;
  /** Gives back the room that the body takes in memory. Undefined for small bodies, which are not counted. */
  readonly release?: () => void;
}

/**
 * Returns the parsed body. Throws
 * - `unsupported_media_type`
 * - `payload_too_large`, as soon as the size is known
 * - `overloaded` if there is no room for the body
 * - `request_timeout`
 * - `bad_request` if the body ends too early
 * - `invalid_json`, also for bytes that are not UTF-8
 */
export async function readJsonBody(
  request: Request,
  limits: BodyLimits,
  place: BodyPlace,
): Promise<JsonBody> {
  requireJson(request.headers.get("content-type"));
  const encoding = request.headers.get("content-encoding");
  if (encoding !== null && encoding !== "identity")
    throw new Problem("unsupported_media_type", { message: "The body must not be compressed." });
  const length = request.headers.get("content-length");
  const announced = length === null ? undefined : Number(length);
  if (announced !== undefined && announced > limits.maxBytes) throw tooLarge(limits.maxBytes);
  if (announced !== undefined && announced <= smallText) {
    const bytes = await readSmall(request, announced, { limits, place });
    return { value: parseJson(decode(bytes)), digest: await digestOf(bytes, limits) };
  }
  return readLarge(request, announced, { limits, place });
}

function requireJson(contentType: string | null): void {
  const [type = "", ...parameters] = (contentType ?? "").toLowerCase().split(";");
  const charset = parameters.map((text) => text.trim()).find((text) => text.startsWith("charset="));
  if (type.trim() === "application/json" && /^(charset="?utf-?8"?)?$/.test(charset ?? "")) return;
  throw new Problem("unsupported_media_type", { message: "The body must be application/json in UTF-8." });
}

interface Reading {
  readonly limits: BodyLimits;
  readonly place: BodyPlace;
}

/**
 * Reads a small body in one piece. Bun enforces its announced length. A stream's reader would reserve 256 KiB for it,
 * however small it is.
 */
async function readSmall(request: Request, announced: number, { limits, place }: Reading) {
  const { bodies } = place.room;
  const leave = bodies.tryTake(place.group) ?? (await takeRoom(bodies, place.group));
  const { timeoutMs, stallMs } = paceOf(limits, announced);
  const giveUp = () => {
    throw tooSlow();
  };
  try {
    // A small body is hardly more than one step of progress, so the stall limit counts for all of it.
    return await withTimeout(request.bytes(), { ms: Math.min(timeoutMs, stallMs), onTimeout: giveUp });
  } catch (error) {
    throw error instanceof Problem ? error : endedEarly(error);
  } finally {
    leave();
  }
}

/** A large body takes its room before it is read. A body of unknown length takes room as it grows. */
async function readLarge(
  request: Request,
  announced: number | undefined,
  reading: Reading,
): Promise<JsonBody> {
  const { room, group } = reading.place;
  const taken: (() => void)[] = [];
  const release = () => {
    for (const give of taken) give();
  };
  try {
    if (announced !== undefined) taken.push(await takeRoom(room.bytes, group, announced));
    const bytes = await readStream(request, { ...reading, announced, taken });
    const digest = await digestOf(bytes, reading.limits);
    return { value: await parseLarge(decode(bytes), reading.place), digest, release };
  } catch (error) {
    release();
    throw error;
  }
}

interface StreamReading extends Reading {
  readonly announced: number | undefined;
  /** Functions that give back the room that the body has taken. */
  readonly taken: (() => void)[];
}

async function readStream(request: Request, { limits, place, announced, taken }: StreamReading) {
  const leave = await takeRoom(place.room.bodies, place.group);
  const reader = request.body?.getReader();
  let tooSlow: Problem | undefined;
  const pace = watchPace(paceOf(limits, announced ?? limits.maxBytes), (problem) => {
    tooSlow = problem;
    reader?.cancel().catch(() => {});
  });
  const bytes = growingBytes(announced ?? smallText);
  let room = Math.max(announced ?? 0, smallText);
  try {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true };
      if (tooSlow) throw tooSlow;
      if (done || value === undefined) return bytes.all();
      if (bytes.size + value.byteLength > limits.maxBytes) throw tooLarge(limits.maxBytes);
      for (; bytes.size + value.byteLength > room; room += step) taken.push(takeStep(place));
      bytes.add(value);
      pace.arrived(value.byteLength);
    }
  } catch (error) {
    reader?.cancel().catch(() => {});
    throw error instanceof Problem ? error : (tooSlow ?? endedEarly(error));
  } finally {
    pace.stop();
    leave();
  }
}

/** One growing buffer. A list of tiny pieces would take many times the body's size. */
function growingBytes(expected: number) {
  let buffer = new Uint8Array(expected);
  let size = 0;
  return {
    get size() {
      return size;
    },
    add(piece: Uint8Array) {
      if (size + piece.byteLength > buffer.byteLength) {
        const larger = new Uint8Array(Math.max(2 * buffer.byteLength, size + piece.byteLength));
        larger.set(buffer.subarray(0, size));
        buffer = larger;
      }
      buffer.set(piece, size);
      size += piece.byteLength;
    },
    all: () => buffer.subarray(0, size),
  };
}

const step = 1024 ** 2;

/** Never waits, because half-read bodies that wait for each other's room would never finish. */
function takeStep({ room, group }: BodyPlace): () => void {
  const give = room.bytes.tryTake(group, step);
  if (give === undefined) throw noRoom();
  return give;
}

const paceOf = (limits: BodyLimits, bytes: number) => ({
  timeoutMs: limits.timeoutMs ?? timeToSend(bytes),
  stallMs: limits.stallMs ?? stallMs,
});

/** Milliseconds. Short enough for other requests, long enough to need few turns. */
const turnMs = 10;
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

async function parseLarge(text: string, { room, group }: BodyPlace): Promise<unknown> {
  if (text.length <= smallText) return parseJson(text);
  const leave = await takeRoom(room.parsing, group);
  try {
    return await parseJsonInTurns(text, { turnMs, pause: nextTurn });
  } finally {
    leave();
  }
}

/** In another thread, because a body may be large. */
const digestOf = async (bytes: Uint8Array<ArrayBuffer>, { digest }: BodyLimits) =>
  digest ? new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)) : undefined;

const utf8 = new TextDecoder("utf-8", { fatal: true });

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new Problem("invalid_json", { message: "The body is not valid UTF-8.", cause });
  }
}

const endedEarly = (cause: unknown) =>
  new Problem("bad_request", { message: "The body ended too early.", cause });

const tooLarge = (maxBytes: number) =>
  new Problem("payload_too_large", {
    message: `The body is larger than ${maxBytes} bytes, the limit of this operation.`,
  });
