/** HTTP as bytes on a socket, for what no well-behaved client sends. */
import { connect, type Socket } from "node:net";

export interface RawConnection {
  send(text: string | Uint8Array): void;
  /** Everything that has arrived so far. */
  received(): string;
  /** Resolves once `count` answers have arrived whole, or the server has hung up; rejects after `withinMs`. */
  answers(count: number, withinMs?: number): Promise<RawAnswer[]>;
  /** Resolves once the server has hung up; rejects after `withinMs`. */
  closed(withinMs?: number): Promise<void>;
  /** Closes the connection immediately. */
  destroy(): void;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

export async function openRaw(url: string): Promise<RawConnection> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  return connectionOf(socket);
}

function connectionOf(socket: Socket): RawConnection {
  let bytes = Buffer.alloc(0);
  let ended = false;
  socket.on("data", (chunk) => {
    bytes = Buffer.concat([bytes, chunk]);
  });
  const end = () => {
    ended = true;
  };
  socket.on("end", end).on("close", end).on("error", end);
  const until = async (done: () => boolean, withinMs: number) => {
    const deadline = performance.now() + withinMs;
    while (!done()) {
      if (performance.now() > deadline)
        throw new Error(`nothing within ${withinMs} ms but ${JSON.stringify(bytes.toString())}`);
      await Bun.sleep(5);
    }
  };
  return {
    send: (text) => void socket.write(text),
    received: () => bytes.toString(),
    answers: async (count, withinMs = 5_000) => {
      await until(() => ended || parseAnswers(bytes).length >= count, withinMs);
      return parseAnswers(bytes);
    },
    closed: (withinMs = 5_000) => until(() => ended, withinMs),
    destroy: () => socket.destroy(),
  };
}

/** The answers that have arrived whole. Interim ones (100) have no body. */
function parseAnswers(bytes: Buffer): RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf("\r\n\r\n", at);
    if (end === -1) break;
    const [line = "", ...fields] = bytes.toString("latin1", at, end).split("\r\n");
    const headers = new Headers(fields.map((field) => field.split(/: ?(.*)/s, 2) as [string, string]));
    const length = Number(headers.get("content-length") ?? 0);
    if (bytes.length < end + 4 + length) break;
    const body = bytes.toString("utf8", end + 4, end + 4 + length);
    answers.push({ status: Number(line.split(" ")[1]), headers, body });
    at = end + 4 + length;
  }
  return answers;
}
