/**
 * Why a service task failed. Each of these becomes an incident (docs/service-tasks.md). An answer of the integration is
 * not a failure, even if it rejects the request.
 *
 * Everybody in the tenant may read `message`, and an operator can act on it. It names placeholders and hosts. It never
 * contains the value of a variable, and therefore no path, no query and no internal address. Further facts are in
 * `cause`, which only the log shows.
 */
export type FailureCode =
  /** The signed URLs of the task's files could not be issued, so nothing was sent. */
  | "url_issuance_failed"
  | "addon_not_found"
  /** A template names a variable that the process instance does not have. */
  | "unknown_placeholder"
  /** A template names a secret that the tenant does not have. */
  | "secret_not_found"
  /** A secret exists but cannot be decrypted. */
  | "secret_not_readable"
  /** A template is malformed, or has a placeholder in a place that allows none. */
  | "invalid_template"
  /** A variable's value does not fit the place of its placeholder. */
  | "value_does_not_fit"
  | "invalid_url"
  | "invalid_header"
  /** The outbound policy forbids the call. Nothing was sent. */
  | "refused_by_policy"
  /** There was no connection, or it broke or could not be trusted. */
  | "unreachable"
  | "timed_out"
  /** The integration answered with a redirect, which is not followed. */
  | "redirected"
  | "response_too_large";

/** Whether the integration received the request. `unknown`: perhaps. */
export type RequestSent = "no" | "yes" | "unknown";

export interface FailureOptions extends ErrorOptions {
  /** Default `no`. */
  readonly requestSent?: RequestSent;
}

/** The caller held the request back after the connection was made. Nothing was sent. */
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
