/** A gateway in front of the server, under a path of its own, that lets answers wait or get lost. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";

export interface Front {
  /** The same page behind the gateway. */
  addressOf(url: string): string;
  /** Answers to requests for this path wait until they are let go; the server has long done what was asked. */
  hold(path: string): Held;
  /** Answers to requests for this path never arrive. */
  lose(path: string): void;
  /** Ends every loss. */
  answerAll(): void;
  stop(): void;
}

export interface Held {
  /** When the server has answered the first of them. */
  readonly first: Promise<void>;
  letGo(): void;
}

/** What becomes of an answer; true where it is lost. */
type Fate = () => Promise<boolean>;

const prefix = "/gateway";

export async function startFront(serverUrl: string): Promise<Front> {
  const fates = new Map<string, Fate>();
  const forward = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url?.replace(prefix, "") ?? "/";
    if (path === request.url) return void response.writeHead(404).end();
    const { host: _, connection: __, ...headers } = request.headers as Record<string, string>;
    const { method = "GET" } = request;
    const body = method === "GET" ? null : await buffer(request);
    const answer = await fetch(serverUrl + path, { method, headers, body, decompress: false });
    const content = await answer.bytes();
    const fate = [...fates].find(([end]) => path.endsWith(end))?.[1];
    if (await fate?.()) return void response.destroy();
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(content);
  };
  const server = createServer((request, response) => void forward(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return {
    addressOf: (url) => `http://127.0.0.1:${port}${prefix}${new URL(url).pathname}`,
    hold: (path) => {
      const first = Promise.withResolvers<void>();
      const gate = Promise.withResolvers<void>();
      fates.set(path, async () => {
        first.resolve();
        await gate.promise;
        return false;
      });
      const letGo = () => {
        fates.delete(path);
        gate.resolve();
      };
      return { first: first.promise, letGo };
    },
    lose: (path) => void fates.set(path, async () => true),
    answerAll: () => fates.clear(),
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
