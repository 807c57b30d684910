/** A small issuer on plain TCP, so that it can cut a file. Each link works for one GET, and HEAD uses it up too. */

import type { AddressInfo } from "node:net";
import { createServer, type Socket } from "node:net";
import { type Answer, type Case, cases } from "./cases.ts";

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly authorization: boolean;
}

export interface Issuer {
  /** The value that the body of a service task would have. */
  valueOf(name: string): string;
  /** The requests for this case's link. */
  seen(name: string): readonly Seen[];
  stop(): Promise<void>;
}

export async function startIssuer(): Promise<Issuer> {
  const log: Seen[] = [];
  const pathOf = (name: string) => `/api/v1/probis/public/form-attachments/${name}/download`;
  const answerTo = (seen: Seen): Answer => {
    const played = cases.find(({ name }) => seen.path.startsWith(pathOf(name)));
    const first = log.filter(({ path }) => path === seen.path).length === 1;
    if (played?.answer && first && seen.method === "GET") return played.answer;
    return { status: played ? 401 : 404, body: new Uint8Array() };
  };
  const server = createServer((socket) => serve(socket, log, answerTo));
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    valueOf: (name) => find(name).value ?? `${origin}${pathOf(name)}?token=v1.kit`,
    // A request that followed the redirect counts too.
    seen: (name) =>
      log.filter(
        ({ path }) => path.startsWith(pathOf(name)) || (name === "redirect" && path === "/elsewhere"),
      ),
    stop: () => new Promise((stopped) => void server.close(() => stopped())),
  };
}

function find(name: string): Case {
  const played = cases.find((one) => one.name === name);
  if (!played) throw new Error(`The case ${name} does not exist.`);
  return played;
}

function serve(socket: Socket, log: Seen[], answerTo: (seen: Seen) => Answer): void {
  let head = "";
  socket.on("error", () => {});
  socket.on("data", (data) => {
    head += data.toString("latin1");
    if (!head.includes("\r\n\r\n")) return;
    const [method = "", path = ""] = head.split(" ");
    const seen = { method, path, authorization: /\r\nauthorization:/i.test(head) };
    log.push(seen);
    send(socket, answerTo(seen), method);
  });
}

function send(socket: Socket, { status, headers = {}, body, cutAt }: Answer, method: string): void {
  const lines = Object.entries({ ...headers, "Content-Length": String(body.length), Connection: "close" });
  socket.write(
    `HTTP/1.1 ${status} Kit\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`,
  );
  socket.end(method === "HEAD" ? new Uint8Array() : body.slice(0, cutAt));
}
