/** For form builders: uploads chosen files and commits them to a process, for signed-in users and for visitors. */
import { createClient } from "./client.ts";
import type { AttachmentMetadata, Finalized } from "./generated/index.ts";
import { ProblemError } from "./problemError.ts";
import { sendForm } from "./sendForm.ts";
import { isUnreachable, overNetwork } from "./unreachable.ts";

interface Common {
  readonly baseUrl: string;
  readonly fetch?: typeof fetch | undefined;
}

/** For a signed-in user: access token, the tenant's slug, the process. */
export interface LoginUploaderOptions extends Common {
  readonly token: string;
  readonly tenant: string;
  readonly processKey: string;
}

/** For a visitor of an embedded form: tenant and process come from the form session token. */
export interface PublicUploaderOptions extends Common {
  readonly formToken: string;
}

export type UploaderOptions = LoginUploaderOptions | PublicUploaderOptions;

export interface Limits {
  readonly extensions: readonly string[];
  /** Bytes. Undefined for visitors: the server does not tell them. */
  readonly maxBytes: number | undefined;
}

export interface UploadOptions {
  readonly fieldName: string;
  readonly processInstanceId?: string | undefined;
  readonly taskId?: string | undefined;
  /**
   * The id of a draft that the new file replaces. It is removed after the upload. If the removal fails, the upload
   * still succeeds: a committed file stays, and the server's sweep removes a draft. Call `remove` to learn about a
   * failure.
   */
  readonly replaces?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** 0 to 1. */
  readonly onProgress?: ((fraction: number) => void) | undefined;
}

export interface Uploader {
  /** Asks the server once and caches the answer. */
  limits(): Promise<Limits>;
  /**
   * Throws `FileRefused` before a byte is sent, and `ProblemError` if the server refuses the file. If nothing was
   * chosen, the chooser's `files[0]` is undefined: that is `FileRefused` with `no_file`.
   */
  upload(file: File | null | undefined, options: UploadOptions): Promise<AttachmentMetadata>;
  /** Removes a draft. It is not an error if the draft does not exist. */
  remove(attachmentId: string): Promise<void>;
  /**
   * Commits drafts to a process, all or none. Not for visitors: the engine binds their files when the process starts.
   */
  finalize(
    attachmentIds: string[],
    to?: { processInstanceId?: string | undefined; taskId?: string | undefined },
  ): Promise<Finalized>;
}

/** A file that the limits forbid. It is thrown before anything is sent. */
export class FileRefused extends Error {
  override readonly name = "FileRefused";
  readonly code:
    | "no_file"
    | "file_empty"
    | "extension_not_allowed"
    | "payload_too_large"
    | "session_quota_exceeded";

  constructor(code: FileRefused["code"], message: string) {
    super(message);
    this.code = code;
  }
}

export function createUploader(options: UploaderOptions): Uploader {
  const send = options.fetch;
  const access = "formToken" in options ? asVisitor(options) : withLogin(options);
  let known: Promise<Limits> | undefined;
  const limits = () => {
    // A failed request is not cached.
    known ??= access.limits().catch((error) => {
      known = undefined;
      throw error;
    });
    return known;
  };
  const remove = (id: string) => access.remove(id).catch(ignoreMissing);
  return {
    limits,
    remove,
    finalize: access.finalize,
    upload: async (file, upload) => {
      if (!file) throw new FileRefused("no_file", "Choose a file first.");
      checkFile(file, await limits());
      const { onProgress, signal } = upload;
      const onSent = onProgress && ((bytes: number) => onProgress(Math.min(1, bytes / file.size)));
      const form = formOf({ ...access.fields, ...fieldsOf(upload) }, file);
      const { url, headers } = access;
      const response = await overNetwork(
        sendForm(url, form, { headers, onSent, signal, fetch: send }),
        signal,
      );
      if (!response.ok) throw await ProblemError.from(response);
      const metadata = (await response.json()) as AttachmentMetadata;
      // The new file is stored, and only the caller gets its id: a failed removal of the old one must not lose it.
      if (upload.replaces !== undefined) await remove(upload.replaces).catch(() => {});
      return metadata;
    },
  };
}

interface Access extends Pick<Uploader, "limits" | "remove" | "finalize"> {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, string>>;
}

function withLogin({ baseUrl, token, tenant, processKey, fetch: send }: LoginUploaderOptions): Access {
  const { attachments } = createClient({
    baseUrl,
    token,
    tenant: { slug: tenant },
    ...(send ? { fetch: send } : {}),
  });
  return {
    url: `${baseUrl.replace(/\/+$/, "")}/api/v1/probis/form-attachments/upload`,
    headers: { Authorization: `Bearer ${token}`, "x-active-tenant": tenant },
    fields: { process_key: processKey },
    limits: async () => {
      const { extensions, max_size_mb } = await attachments.getAllowedTypes();
      return { extensions, maxBytes: max_size_mb * 1024 * 1024 };
    },
    remove: (attachmentId) => attachments.deleteAttachment({ attachmentId }),
    finalize: (attachment_ids, { processInstanceId, taskId } = {}) =>
      attachments.finalizeAttachments({
        finalization: {
          attachment_ids,
          ...(processInstanceId === undefined ? {} : { process_instance_id: processInstanceId }),
          ...(taskId === undefined ? {} : { task_id: taskId }),
        },
      }),
  };
}

function asVisitor({ baseUrl, formToken, fetch: send }: PublicUploaderOptions): Access {
  const { publicAttachments } = createClient({ baseUrl, formToken, ...(send ? { fetch: send } : {}) });
  return {
    url: `${baseUrl.replace(/\/+$/, "")}/api/v1/probis/public/form-attachments/upload`,
    headers: { "X-Probis-Form-Token": formToken },
    fields: {},
    limits: async () => ({ ...(await publicAttachments.getPublicAllowedTypes()), maxBytes: undefined }),
    remove: (attachmentId) => publicAttachments.deletePublicAttachment({ attachmentId }),
    finalize: async () => {
      throw new TypeError("Visitors cannot finalize: the engine binds their files when the process starts.");
    },
  };
}

function checkFile(file: File, { extensions, maxBytes }: Limits): void {
  const extension = /\.([^.]+)$/.exec(file.name)?.[1]?.toLowerCase() ?? "";
  if (!extensions.includes(extension))
    throw new FileRefused("extension_not_allowed", `Only these files are allowed: ${extensions.join(", ")}.`);
  if (file.size === 0) throw new FileRefused("file_empty", "The file is empty.");
  if (maxBytes !== undefined && file.size > maxBytes)
    throw new FileRefused("payload_too_large", `The file is larger than ${maxBytes / 1024 / 1024} MB.`);
}

const fieldsOf = ({ fieldName, processInstanceId, taskId }: UploadOptions) => ({
  field_name: fieldName,
  process_instance_id: processInstanceId,
  task_id: taskId,
});

/** The fields come before the file, so that a streaming server knows where the file belongs. */
function formOf(fields: Record<string, string | undefined>, file: File): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.append(name, value);
  form.append("file", file);
  return form;
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof ProblemError && error.status === 404)) throw error;
}

/** Why an upload failed, in words for the person who chose the file. */
export function inPlainWords(error: unknown): string {
  if (error instanceof FileRefused) return error.message;
  if (error instanceof ProblemError) return messageFor(error);
  if (error instanceof Error && error.name === "AbortError") return "The upload was stopped.";
  if (error instanceof Error && error.name === "TimeoutError") return "The upload took too long. Try again.";
  if (isUnreachable(error)) return "The server could not be reached. Check the connection and try again.";
  return "The upload did not succeed. Try again.";
}

function messageFor({ code, status, message, retryAfterSeconds }: ProblemError): string {
  if (code === "rate_limited") return `Too many uploads. Try again in ${retryAfterSeconds ?? 60} seconds.`;
  if (code === "unauthenticated") return "You are no longer signed in. Reload the page and try again.";
  if (code === "payload_too_large") return "The file is too large.";
  if (status >= 500) return "Something went wrong on the server. Try again later.";
  return message;
}
