/**
 * Large answers on their way out. A text that is sent stays in memory until its reader has taken it, so a few slow
 * readers of large pages could take the memory of everybody. Large answers share a budget, by process and by tenant,
 * and go out as a stream: that is how we learn when they are gone. Bun pulls as fast as the reader reads, and cancels
 * the stream when the connection ends or stands idle.
 */
import { createFairShare, type FairShare } from "../infrastructure/fairShare.ts";
import { overloaded } from "./refuseUnderPressure.ts";

const MiB = 1024 ** 2;

/** Characters. What is shorter fits into the buffers of a connection. */
export const largeAnswer = 128 * 1024;

/** Four pages of the largest size for a tenant. Nothing waits: the answer is in memory already. */
export const createAnswerRoom = (): FairShare =>
  createFairShare({ capacity: 256 * MiB, groupCapacity: 64 * MiB, maxWaitMs: 0, maxWaiting: 0 });

/** Takes a text's room, or throws `overloaded`, and returns the stream that gives it back. */
export function streamOf(text: string, room: FairShare, group: string): ReadableStream<Uint8Array> {
  const release = room.tryTake(group, text.length);
  if (release === undefined) throw overloaded("Too many large answers are being sent. Try again later.");
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

/** Never between the halves of a surrogate pair. */
function endOfPiece(text: string, start: number): number {
  const end = start + pieceLength;
  if (end >= text.length) return text.length;
  return (text.charCodeAt(end - 1) & 0xfc00) === 0xd800 ? end - 1 : end;
}
