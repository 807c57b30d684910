/** Steps of tests of form files: real files, uploads, commitments, signed URLs, visits and what uploads leave behind. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type AttachmentMetadata,
  Configuration,
  FormSessionsApi,
  PublicAttachmentsApi,
} from "../../sdk/src/generated/index.ts";
import type { TestServer, TokenClaims } from "./server.ts";
import type { Answer } from "./tables.ts";

const folder = fileURLToPath(new URL("../fixtures/content/", import.meta.url));

export const fixturePath = (name: string) => join(folder, name);
export const fixtureBytes = (name: string) => Bun.file(fixturePath(name)).bytes();

/** The storage key of an attachment's object. */
export const objectKey = (tenantId: number, id: string) => `attachments/${tenantId}/${id.toLowerCase()}`;

export interface FileOptions {
  /** The name that it is sent under. */
  readonly as?: string;
  /** The content type that it is sent with; none by default. */
  readonly type?: string;
}

/** A file that a real program wrote, as a form sends it. */
export async function fixture(name: string, { as = name, type = "" }: FileOptions = {}): Promise<File> {
  return new File([await fixtureBytes(name)], as, { type });
}

let made = 0;
/** A user whom no other test uses, so that limits and files are only this test's. */
export const freshUser = () => `user-${++made}`;
export const freshInstance = () => `instance-${++made}`;
/** For a server that trusts 127.0.0.1 as a proxy. */
export const freshAddress = () => `198.51.${(++made >> 8) & 255}.${made & 255}`;
export const trustingLoopback = { TRUSTED_PROXIES: "127.0.0.1/32,::1/128" };

export const member = (user = freshUser(), tenant = 1): TokenClaims => ({ user, tenant, roles: ["member"] });
export const slugOf = ({ tenant = 1, slug }: TokenClaims) => slug ?? `tenant-${tenant}`;

export interface UploadOptions {
  /** A member of tenant 1 whom nobody else is, by default. */
  readonly by?: TokenClaims;
  readonly file?: Blob;
  readonly processInstanceId?: string;
  readonly taskId?: string;
}

/** Uploads a draft, `pillow.png` unless said otherwise, through the SDK. */
export async function upload(server: TestServer, options: UploadOptions = {}): Promise<AttachmentMetadata> {
  const { by = member(), file = await fixture("pillow.png"), ...where } = options;
  const api = await server.attachments(by);
  const form = { file, processKey: "loan_application", fieldName: "identity_card", ...where };
  return api.uploadAttachment({ xActiveTenant: slugOf(by), ...form });
}

export interface CommittedAttachment {
  readonly id: string;
  readonly metadata: AttachmentMetadata;
  readonly uploader: TokenClaims;
  readonly processInstanceId: string;
}

/** Uploads a file, and lets the engine bind it to a process instance. */
export async function commit(
  server: TestServer,
  { by = member(), processInstanceId = freshInstance(), ...rest }: UploadOptions = {},
): Promise<CommittedAttachment> {
  const metadata = await upload(server, { by, ...rest });
  const id = metadata.attachment_id;
  const engine = await server.engine({ tenant: by.tenant ?? 1 });
  const binding = {
    tenant_id: by.tenant ?? 1,
    process_instance_id: processInstanceId,
    attachment_ids: [id],
  };
  await engine.bindAttachments({ binding });
  return { id, metadata, uploader: by, processInstanceId };
}

/** Signed URLs for a committed attachment. */
export async function issue(
  server: TestServer,
  { id, processInstanceId, uploader }: CommittedAttachment,
  count = 1,
): Promise<string[]> {
  const tenant = uploader.tenant ?? 1;
  const engine = await server.engine({ tenant });
  const { urls } = await engine.issueDownloadUrls({
    downloadUrlRequest: {
      tenant_id: tenant,
      process_instance_id: processInstanceId,
      attachment_ids: Array(count).fill(id),
    },
  });
  return urls.map(({ url }) => url);
}

export async function issueOne(server: TestServer, attachment: CommittedAttachment): Promise<string> {
  const [url] = await issue(server, attachment);
  if (url === undefined) throw new Error("no URL was issued");
  return url;
}

export interface Visit {
  readonly formToken: string;
  /** The SDK's client of this visitor. */
  readonly api: PublicAttachmentsApi;
}

export interface VisitOptions {
  readonly tenant?: number;
  /** The visitor's address, where the server trusts loopback. */
  readonly from?: string;
}

/** A visitor opens an embedded form. */
export async function visit(
  server: TestServer,
  { tenant = 1, from = freshAddress() }: VisitOptions = {},
): Promise<Visit> {
  const forms = await server.formSessions({ tenant });
  const { embed_id } = await forms.createEmbed({
    xActiveTenant: `tenant-${tenant}`,
    newEmbed: { process_key: "loan_application" },
  });
  const options = { basePath: server.url, headers: { "X-Forwarded-For": from } };
  const visitor = new FormSessionsApi(new Configuration(options));
  const { form_token: formToken } = await visitor.createFormSession({ newFormSession: { embed_id } });
  return {
    formToken,
    api: new PublicAttachmentsApi(new Configuration({ ...options, apiKey: formToken })),
  };
}

export const uploadPath = "/api/v1/probis/form-attachments/upload";
export const publicUploadPath = "/api/v1/probis/public/form-attachments/upload";

/** What uploads have left: an attachment is a row and an object, and the files in which it came are gone. */
export async function remains({ sql, deps }: TestServer) {
  const [row] = await sql<{ count: number }[]>`select count(*)::int as count from waybill.attachments`;
  const objects = await Array.fromAsync(deps.storage.list("attachments/"));
  const temporary = await readdir(join(deps.config.dataDir, "uploads")).catch(() => []);
  return { rows: row?.count ?? 0, objects: objects.length, temporary: temporary.length };
}

/** All of an answer that its reader could tell it apart by; only the request's id and the moment are its own. */
export function likeness({ status, text, headers }: Answer) {
  const own = ["x-request-id", "date"];
  return {
    status,
    headers: [...headers].filter(([name]) => !own.includes(name)),
    body: text.replace(/"request_id":"[^"]*"/, '"request_id":"…"'),
  };
}
