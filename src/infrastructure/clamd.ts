/**
 * Scans a file with a ClamAV daemon, by its INSTREAM command (clamd(8)): the bytes of the file in chunks, each after
 * its length, and then one answer. The caller decides what happens to an upload if the daemon is unavailable or slow.
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
/** Enough: an answer is one short line. */
const maxAnswerBytes = 4 * 1024;

/**
 * Throws a plain error if the daemon cannot be reached, does not answer within `timeoutMs` milliseconds in all, or
 * answers with anything but a verdict, as it does if the file exceeds its `StreamMaxLength`.
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
    // The daemon may answer and hang up before it has the whole file. Its answer then says more than the broken pipe.
    const sent = sendFile(socket, path).then(() => answer);
    const first = Promise.race([answer, sent]);
    return toResult(await withTimeout(first, { ms: timeoutMs, onTimeout: giveUp }));
  } finally {
    socket.destroy();
  }
}

/** Reads the line of the daemon, without the zero byte at its end. */
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
      // An empty chunk ends the stream.
      if (bytesRead === 0) return;
    }
  } finally {
    await file.close();
  }
}

/** Waits while the daemon is slower than the disk. The event `close` ends the wait if the daemon is gone. */
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
