/** External systems for the tests: real HTTP and HTTPS servers on 127.0.0.1. */
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import type { TLSSocket } from "node:tls";

const certificate = (name: string) => readFileSync(new URL(`tls/${name}`, import.meta.url), "utf8");

/** The authority that signed the certificates of `startPartner({ secure: true })`. */
export const authority = certificate("authority.pem");

export interface Received {
  readonly method: string;
  readonly url: string;
  /** Names as they were sent, values as UTF-8. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  /** The server name of the TLS connection (SNI). */
  readonly serverName: string | undefined;
}

export interface Partner {
  readonly port: number;
  readonly received: readonly Received[];
  stop(): Promise<void>;
}

export type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

export interface PartnerOptions {
  readonly secure?: boolean;
  readonly address?: string;
  readonly port?: number;
}

/** Answers when the request has arrived whole. Without `answer` it answers with 200 and `ok`. */
export async function startPartner(
  answer: Answer = (_, response) => void response.end("ok"),
  { secure = false, address = "127.0.0.1", port = 0 }: PartnerOptions = {},
): Promise<Partner> {
  const received: Received[] = [];
  const listener: RequestListener = async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    received.push({
      method: request.method ?? "",
      url: request.url ?? "",
      headers: headersOf(request),
      body,
      serverName: (request.socket as TLSSocket).servername || undefined,
    });
    answer(request, response, body);
  };
  const server = secure
    ? createSecureServer({ key: certificate("server.key"), cert: certificate("server.pem") }, listener)
    : createServer(listener);
  await listening(server, { address, port });
  const stop = () => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return { port: (server.address() as AddressInfo).port, received, stop };
}

export function listening(
  server: Server,
  { address = "127.0.0.1", port = 0 }: { readonly address?: string; readonly port?: number } = {},
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject).listen(port, address, () => resolve());
  });
}

function headersOf({ rawHeaders }: IncomingMessage): (readonly [string, string])[] {
  const names = rawHeaders.filter((_, index) => index % 2 === 0);
  return names.map((name, index) => [
    name.toLowerCase(),
    Buffer.from(rawHeaders[index * 2 + 1] ?? "", "latin1").toString(),
  ]);
}
