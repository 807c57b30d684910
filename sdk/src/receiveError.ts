/**
 * Why a file was not received. Retrying never helps, because the link is used up and the sender has to send a new one.
 * Only `not_writable` is thrown before the link is used.
 */
const sentences = {
  no_file: "The value contains no file.",
  used_or_expired: "The download link was already used, has expired or is not valid.",
  not_found: "The file no longer exists.",
  not_configured: "The sender's server is not configured for download links.",
  truncated: "The download ended before the last byte of the file.",
  digest_mismatch: "The file differs from what was sent: its digest does not match.",
  too_large: "The file is larger than maxBytes allows.",
  redirected: "The download link redirects to another address. Redirects are not followed.",
  unreachable: "The sender's server could not be reached.",
  refused: "The sender's server refused the download.",
  not_base64: "The value is neither a URL nor base64.",
  not_writable: "The file cannot be written to this path. A download link still works.",
  bad_url: "The download link is not a valid address, or it contains credentials.",
} as const;

export type ReceiveErrorCode = keyof typeof sentences;

interface Circumstances {
  readonly status?: number | undefined;
  readonly cause?: unknown;
  /** A second sentence for the message. */
  readonly because?: string | undefined;
}

export class ReceiveError extends Error {
  override readonly name = "ReceiveError";
  readonly code: ReceiveErrorCode;
  /** The HTTP status, if there was an answer. */
  readonly status: number | undefined;

  constructor(code: ReceiveErrorCode, { status, cause, because }: Circumstances = {}) {
    super(because === undefined ? sentences[code] : `${sentences[code]} ${because}`, { cause });
    this.code = code;
    this.status = status;
  }
}
