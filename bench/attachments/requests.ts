/** The requests of the attachments, each for Waybill and for the baseline, which takes the same bodies. */
import { randomBytes } from "node:crypto";
import { createAccessTokens } from "../../src/infrastructure/identity/accessTokens.ts";
import type { SampleFile } from "./files.ts";

export const secret = randomBytes(32).toString("hex");
const accessTokens = createAccessTokens({ keys: { kind: "secret", secret }, fetch, now: () => new Date() });
export const tenant = { id: 1, slug: "bench" };

/** One token for each user and role, however often it is asked for. */
const headersOf = new Map<string, Promise<Record<string, string>>>();

function headersFor(user: string, role: string): Promise<Record<string, string>> {
  const key = `${user} ${role}`;
  const known = headersOf.get(key) ?? sign(user, role);
  headersOf.set(key, known);
  return known;
}

async function sign(sub: string, role: string): Promise<Record<string, string>> {
  const tenants = [{ ...tenant, roles: [role] }];
  const token = await accessTokens.sign({ sub, tenants }, { ttlSeconds: 86_400 });
  return { Authorization: `Bearer ${token}`, "x-active-tenant": tenant.slug };
}

export interface UploadBody {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly contentType: string;
  readonly size: number;
}

/** Built once: what is measured is the server's work, not the client's. */
export function uploadBody({ name, mimeType, bytes }: SampleFile): UploadBody {
  const boundary = `waybill-${randomBytes(12).toString("hex")}`;
  const field = (key: string, value: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${key}"\r\n\r\n${value}\r\n`;
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: ${mimeType}\r\n\r\n`;
  const body = Buffer.concat([
    Buffer.from(field("process_key", "loan") + field("field_name", "document") + head),
    bytes,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  return { body, contentType: `multipart/form-data; boundary=${boundary}`, size: bytes.length };
}

/** Uploads that one user may make in a minute. */
const uploadsOfOneUser = 20;

/** Each user uploads twenty files and is never seen again: the rate limit is at work, and refuses nobody. */
export async function uploadToWaybill(server: string, turn: number, file: UploadBody): Promise<string> {
  const headers = await headersFor(`user-${Math.floor(turn / uploadsOfOneUser)}`, "member");
  return upload(`${server}/api/v1/probis/form-attachments/upload`, file, headers);
}

export const uploadToBaseline = (server: string, file: UploadBody) => upload(`${server}/files`, file, {});

async function upload(
  url: string,
  { body, contentType }: UploadBody,
  headers: Record<string, string>,
): Promise<string> {
  const init = { method: "POST", headers: { ...headers, "Content-Type": contentType }, body };
  const { attachment_id } = (await (await send(url, init)).json()) as { attachment_id: string };
  return attachment_id;
}

export async function issue(server: string, instance: string, ids: readonly string[]): Promise<string[]> {
  const url = `${server}/api/v1/internal/form-attachments/download-urls`;
  const body = { tenant_id: tenant.id, process_instance_id: instance, attachment_ids: ids };
  const { urls } = (await sendJson(url, "engine", body)) as { urls: { url: string }[] };
  return urls.map((issued) => issued.url);
}

export async function finalize(server: string, instance: string, ids: readonly string[]): Promise<void> {
  const url = `${server}/api/v1/probis/form-attachments/finalize`;
  await sendJson(url, "member", { attachment_ids: ids, process_instance_id: instance });
}

async function sendJson(url: string, role: string, body: unknown): Promise<unknown> {
  const headers = { ...(await headersFor("bench", role)), "Content-Type": "application/json" };
  return (await send(url, { method: "POST", headers, body: JSON.stringify(body) })).json();
}

/** Milliseconds until the first byte of the content was there; the content is read to its end. */
export async function download(url: string, size: number): Promise<number> {
  const start = performance.now();
  const { body } = await send(url, {});
  let first = 0;
  let received = 0;
  for await (const chunk of body as ReadableStream<Uint8Array>) {
    first ||= performance.now() - start;
    received += chunk.length;
  }
  if (received !== size) throw new Error(`GET ${url}: ${received} of ${size} bytes`);
  return first;
}

/** Any request of a user who has this role. */
export async function sendAs(role: string, url: string, init: RequestInit): Promise<Response> {
  return send(url, { ...init, headers: { ...(await headersFor("bench", role)), ...init.headers } });
}

async function send(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (response.ok) return response;
  throw new Error(`${init.method ?? "GET"} ${url}: ${response.status} ${await response.text()}`);
}
