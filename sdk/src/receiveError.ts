/**
 * Why a file was not received. No code means "try again": the link is used up, the sender must send another. Only
 * `not_writable` comes before the link is used.
 */
const sentences = {
  no_file: "There is no file in this place.",
  used_or_expired: "The download link was used before, has expired or is not valid.",
  not_found: "The file does not exist any more.",
  not_configured: "The sender's server is not configured for download links.",
  truncated: "The file ended before its last byte.",
  digest_mismatch: "The file is not what was sent: its digest differs.",
  too_large: "The file is larger than allowed here.",
  redirected: "The download link led to another address, which was not followed.",
  unreachable: "The sender's server could not be reached.",
  refused: "The sender's server refused the download.",
  not_base64: "The value is neither a URL nor base64.",
  not_writable: "The file cannot be written at this path; a download link was not used up.",
  bad_url: "The download link is not a valid address, or carries credentials.",
} as const;

export type ReceiveErrorCode = keyof typeof sentences;

interface Circumstances {
  readonly status?: number | undefined;
  readonly cause?: unknown;
  /** A second sentence of the message. */
  readonly because?: string | undefined;
}

export class ReceiveError extends Error {
  override readonly name = "ReceiveError";
  readonly code: ReceiveErrorCode;
  /** The HTTP status, where there was an answer. */
  readonly status: number | undefined;

  constructor(code: ReceiveErrorCode, { status, cause, because }: Circumstances = {}) {
    super(because === undefined ? sentences[code] : `${sentences[code]} ${because}`, { cause });
    this.code = code;
    this.status = status;
  }
}
