/**
 * Asks a ClamAV daemon about a file, by its INSTREAM command (clamd(8)): the file's bytes in chunks, each behind its
 * length, and one answer. What a daemon that is away or slow means for an upload is the caller's to decide.
 */
import { once } from "node:events";
import { open } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { withTimeout } from "./withTimeout.ts";

export type ClamdAddress = { readonly host: string; readonly port: number } | { readonly socket: string };

export type ScanResult =
  | { readonly infected: false }
  | { readonly infected: true; readonly signature: string };

const chunkBytes = 64 * 1024;
/** An answer is one short line. */
const maxAnswerBytes = 4 * 1024;

/**
 * Throws a plain error when the daemon cannot be reached, does not answer within `timeoutMs` milliseconds in all, or
 * answers anything but a verdict (as when the file exceeds its `StreamMaxLength`).
 */
export async function scanWithClamd(
  address: ClamdAddress,
  path: string,
  { timeoutMs }: { readonly timeoutMs: number },
): Promise<ScanResult> {
  const socket = "socket" in address ? connect(address.socket) : connect(address.port, address.host);
  const giveUp = () => {
    throw new Error(`clamd: no answer in ${timeoutMs} ms`);
  };
  try {
    const answer = readAnswer(socket);
    // The daemon may answer and hang up in mid-stream: then its answer says more than the broken pipe.
    const sent = sendFile(socket, path).then(() => answer);
    const first = Promise.race([answer, sent]);
    return toResult(await withTimeout(first, { ms: timeoutMs, onTimeout: giveUp }));
  } finally {
    socket.destroy();
  }
}

/** The daemon's line, without its closing zero byte. */
function readAnswer(socket: Socket): Promise<string> {
  let received = "";
  return new Promise((resolve, reject) => {
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      if (received.includes("\0") || received.length > maxAnswerBytes)
        resolve(received.split("\0", 1)[0] ?? "");
    });
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("clamd: hung up without an answer")));
  });
}

async function sendFile(socket: Socket, path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    await write(socket, Buffer.from("zINSTREAM\0"));
    for (;;) {
      const frame = Buffer.allocUnsafe(4 + chunkBytes);
      const { bytesRead } = await file.read(frame, 4, chunkBytes);
      frame.writeUInt32BE(bytesRead, 0);
      await write(socket, frame.subarray(0, 4 + bytesRead));
      // A chunk of no bytes ends the stream.
      if (bytesRead === 0) return;
    }
  } finally {
    await file.close();
  }
}

/** Waits while the daemon is slower than the disk; `close` ends the wait for one that is gone. */
async function write(socket: Socket, bytes: Buffer): Promise<void> {
  if (socket.destroyed) return;
  if (socket.write(bytes)) return;
  const settled = new AbortController();
  const { signal } = settled;
  const events = [once(socket, "drain", { signal }), once(socket, "close", { signal })];
  try {
    await Promise.race(events);
  } finally {
    for (const event of events) event.catch(() => {});
    settled.abort();
  }
}

function toResult(answer: string): ScanResult {
  if (answer === "stream: OK") return { infected: false };
  const found = /^stream: (.+) FOUND$/.exec(answer);
  if (found?.[1] !== undefined) return { infected: true, signature: found[1] };
  throw new Error(`clamd: ${answer}`);
}
