/**
 * What Waybill's attachments are measured against: Bun.serve and the same storage driver, and nothing else. An upload
 * is cut out of its multipart body by position (the file is the last part), written to a temporary file and hashed on
 * the way, since `storage.put` takes a file with its digest; then `put`. No user, no limit, no check, no database, no log.
 *
 * `bun bench/attachments/baseline.ts` with DATA_DIR and PORT, and S3_ENDPOINT and the rest as Waybill takes them.
 */
import { createHash, randomUUID } from "node:crypto";
import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { parseConfig } from "../../src/infrastructure/config.ts";
import { filesystemStorage } from "../../src/infrastructure/storage/filesystem.ts";
import { s3Storage } from "../../src/infrastructure/storage/s3.ts";

const { port, dataDir, s3 } = parseConfig(process.env, process.cwd());
const storage = s3 ? s3Storage(s3) : filesystemStorage({ folder: join(dataDir, "objects") });
const uploads = join(dataDir, "uploads");
await storage.prepare();
await mkdir(uploads, { recursive: true });

const keyOf = (id: string) => `baseline/${id}`;

async function upload(request: Request): Promise<Response> {
  const id = randomUUID();
  const path = join(uploads, id);
  const received = await receive(request, path);
  await storage.put(keyOf(id), { path, ...received, contentType: "application/octet-stream" });
  await rm(path);
  return Response.json({ attachment_id: id }, { status: 201 });
}

async function receive(request: Request, path: string): Promise<{ size: number; sha256: string }> {
  const digest = createHash("sha256");
  const handle = await open(path, "wx", 0o600);
  let size = 0;
  for await (const chunk of fileOf(request)) {
    digest.update(chunk);
    size += chunk.length;
    await handle.write(chunk);
  }
  await handle.close();
  return { size, sha256: digest.digest("hex") };
}

/** The last part's content: what is left between its header and the closing boundary. */
async function* fileOf({ headers, body }: Request): AsyncGenerator<Uint8Array> {
  const boundary = /boundary=(.+)$/.exec(headers.get("content-type") ?? "")?.[1] ?? "";
  const end = Number(headers.get("content-length")) - `\r\n--${boundary}--\r\n`.length;
  let position = 0;
  let start: number | undefined;
  for await (const chunk of body as ReadableStream<Uint8Array>) {
    start ??= startIn(chunk);
    const part = chunk.subarray(Math.max(0, start - position), Math.max(0, end - position));
    position += chunk.length;
    if (part.length > 0) yield part;
  }
}

function startIn(chunk: Uint8Array): number {
  const head = Buffer.from(chunk.buffer, chunk.byteOffset, Math.min(chunk.length, 4_096)).toString("latin1");
  return head.indexOf("\r\n\r\n", head.indexOf("filename=")) + 4;
}

async function download({ params }: Bun.BunRequest<"/files/:id">): Promise<Response> {
  const object = await storage.get(keyOf(params.id));
  if (!object) return new Response(null, { status: 404 });
  if (object.path === undefined) return new Response(object.body);
  await object.body.cancel();
  return new Response(Bun.file(object.path));
}

Bun.serve({
  hostname: "127.0.0.1",
  port,
  routes: {
    "/readyz": new Response(),
    "/files": { POST: upload },
    "/files/:id": { GET: download },
  },
});
