/** multipart/form-data written by hand, for what no browser sends. */
import { type FileOptions, fixtureBytes, freshUser, uploadPath } from "./attachments.ts";
import { openRaw, type RawConnection } from "./rawHttp.ts";
import type { TestServer } from "./server.ts";
import { type Answer, answerOf } from "./tables.ts";

export const boundary = "waybill-boundary";
export const end = Buffer.from(`--${boundary}--\r\n`);

/** `head` is the part's header, its lines parted by CR LF. */
export const part = (head: string, content: string | Uint8Array = "") =>
  Buffer.concat([begin(head), Buffer.from(content as Uint8Array), Buffer.from("\r\n")]);

/** A part that has no end yet. */
export const begin = (head: string) => Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`);

export const field = (name: string, value: string | Uint8Array) =>
  part(`Content-Disposition: form-data; name="${name}"`, value);

export const fields = [field("process_key", "loan_application"), field("field_name", "identity_card")];

/** A part that carries a file of the fixtures, under its own name unless said otherwise. */
export async function filePart(name: string, { as = name, type }: FileOptions = {}): Promise<Buffer> {
  const said = type === undefined ? "" : `\r\nContent-Type: ${type}`;
  const head = `Content-Disposition: form-data; name="file"; filename="${as}"${said}`;
  return part(head, await fixtureBytes(name));
}

export interface RawUploadOptions {
  readonly contentType?: string;
  readonly user?: string;
  readonly path?: string;
}

/** Sends the parts, as they are, to the login upload unless said otherwise. */
export async function sendParts(
  server: TestServer,
  parts: readonly Uint8Array[],
  {
    contentType = `multipart/form-data; boundary=${boundary}`,
    user = freshUser(),
    path = uploadPath,
  }: RawUploadOptions = {},
): Promise<Answer> {
  const headers: Record<string, string> = {
    authorization: `Bearer ${await server.token({ user, roles: ["member"] })}`,
    "x-active-tenant": "tenant-1",
    "content-type": contentType,
  };
  return answerOf(await server.request(path, { method: "POST", headers, body: Buffer.concat(parts) }));
}

/** A connection on which an upload has begun: its head is sent, `length` promised. Chunked where there is none. */
export async function beginUpload(
  server: TestServer,
  length?: number,
  path = uploadPath,
): Promise<RawConnection> {
  const connection = await openRaw(server.url);
  const head = [
    `POST ${path} HTTP/1.1`,
    "Host: localhost",
    `Authorization: Bearer ${await server.token({ user: freshUser() })}`,
    "x-active-tenant: tenant-1",
    `Content-Type: multipart/form-data; boundary=${boundary}`,
    length === undefined ? "Transfer-Encoding: chunked" : `Content-Length: ${length}`,
  ];
  connection.send(`${head.join("\r\n")}\r\n\r\n`);
  return connection;
}

export const chunk = (bytes: Uint8Array) =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);
