/**
 * Why a service task could not be carried out (design 9). Every one of these ends as an incident; the answers of the
 * integration itself, also its rejections, are no failures.
 *
 * `message` is a sentence that an operator can act on and anyone of the tenant may read: it names placeholders and hosts,
 * but never a variable's value, so neither path nor query, nor an internal address. What else is known travels in
 * `cause`, for the log alone.
 */
export type FailureCode =
  /** The signed URLs of the task's files could not be issued, so nothing was sent (reference 7). */
  | "url_issuance_failed"
  | "addon_not_found"
  /** A template names a variable that the process instance does not have. */
  | "unknown_placeholder"
  /** A template names a secret that the tenant does not have. */
  | "secret_not_found"
  /** A secret that is there cannot be decrypted. */
  | "secret_not_readable"
  /** A template is malformed, or holds a placeholder where none can stand. */
  | "invalid_template"
  /** A variable's value cannot be written where its placeholder stands. */
  | "value_does_not_fit"
  | "invalid_url"
  | "invalid_header"
  /** The outbound policy does not let this call out. Nothing was sent. */
  | "refused_by_policy"
  /** No connection, or one that broke or could not be trusted. */
  | "unreachable"
  | "timed_out"
  /** The integration answered with a redirect; none is followed. */
  | "redirected"
  | "response_too_large";

/** Whether the integration got the request; `unknown` where it may have. */
export type RequestSent = "no" | "yes" | "unknown";

export interface FailureOptions extends ErrorOptions {
  /** `no` unless said otherwise. */
  readonly requestSent?: RequestSent;
}

/** The caller held the request back when its connection was there already. Nothing was sent. */
export class CallHeldBack extends Error {
  override readonly name = "CallHeldBack";
  override readonly message = "the request was held back before it was sent";
}

export class DeliveryFailure extends Error {
  override readonly name = "DeliveryFailure";
  readonly code: FailureCode;
  readonly requestSent: RequestSent;

  constructor(code: FailureCode, message: string, { requestSent = "no", ...options }: FailureOptions = {}) {
    super(message, options);
    this.code = code;
    this.requestSent = requestSent;
  }
}
