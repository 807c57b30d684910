/**
 * Sends large answers. An answer stays in memory until its reader has received it, so a few slow readers of large pages
 * could take all memory. Large answers share a budget for the process and for each tenant. They are sent as streams,
 * because a stream shows when it has been sent: Bun pulls as fast as the reader reads, and cancels the stream if the
 * connection ends or is idle for too long.
 */
import { createFairShare, type FairShare } from "../infrastructure/fairShare.ts";
import { overloaded } from "./refuseUnderPressure.ts";

const MiB = 1024 ** 2;

/** Characters. Shorter answers fit into the buffers of a connection. */
export const largeAnswer = 128 * 1024;

/** Four pages of the largest size for each tenant. Nothing waits, because the answer is already in memory. */
export const createAnswerRoom = (): FairShare =>
  createFairShare({ capacity: 256 * MiB, groupCapacity: 64 * MiB, maxWaitMs: 0, maxWaiting: 0 });

export const noAnswerRoom = () => overloaded("Too many large answers are being sent. Try again later.");

/** Takes room for a text and returns a stream that gives it back. Undefined if there is no room. */
export function streamOf(
  text: string,
  room: FairShare,
  group: string,
): ReadableStream<Uint8Array> | undefined {
  const release = room.tryTake(group, text.length);
  if (release === undefined) return undefined;
  let at = 0;
  return new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        const end = endOfPiece(text, at);
        controller.enqueue(utf8.encode(text.slice(at, end)));
        at = end;
        if (at < text.length) return;
        release();
        controller.close();
      },
      cancel: release,
    },
    { highWaterMark: 0 },
  );
}

const utf8 = new TextEncoder();
const pieceLength = 256 * 1024;

/** Never splits a surrogate pair. */
function endOfPiece(text: string, start: number): number {
  const end = start + pieceLength;
  if (end >= text.length) return text.length;
  return (text.charCodeAt(end - 1) & 0xfc00) === 0xd800 ? end - 1 : end;
}
