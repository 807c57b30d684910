/** Why a file was not received. No code means "try again": the link is used up, the sender must send another. */
const sentences = {
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
  bad_url: "The download link is not a valid address, or carries credentials.",
} as const;

export type ReceiveErrorCode = keyof typeof sentences;

export class ReceiveError extends Error {
  override readonly name = "ReceiveError";
  readonly code: ReceiveErrorCode;
  /** The HTTP status, where there was an answer. */
  readonly status: number | undefined;

  constructor(code: ReceiveErrorCode, { status, cause }: { status?: number; cause?: unknown } = {}) {
    super(sentences[code], { cause });
    this.code = code;
    this.status = status;
  }
}
