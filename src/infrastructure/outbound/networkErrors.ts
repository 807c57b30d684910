/** Explains calls that got no answer, in sentences for an operator. */
import { DeliveryFailure } from "./failure.ts";

/** Why there was no connection. */
const reasons: readonly (readonly [codes: RegExp, sentence: string])[] = [
  [/^ECONNREFUSED$/, "refuses connections; check that it is running and the port is right"],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EACCES)$/, "is not reachable over the network from here"],
  [/^ETIMEDOUT$/, "does not take connections; a firewall may be in between"],
  [/ALTNAME/, "has a TLS certificate for another host name"],
  [/^(CERT_HAS_EXPIRED|CERT_NOT_YET_VALID)$/, "has a TLS certificate that is not valid at this time"],
  [/CERT|ISSUER|SIGNATURE|CHAIN/, "has a TLS certificate that no trusted authority has signed"],
  [
    /SSL|TLS|EPROTO|^ERR_BORINGSSL/,
    "does not speak TLS as expected; check whether the URL should begin with http://",
  ],
];

/**
 * Before the connection was complete (`connected`), nothing was sent. After that, something may have been. `where` is
 * an origin.
 */
export function unreachable(
  where: string,
  { cause, connected }: { readonly cause: unknown; readonly connected: boolean },
): DeliveryFailure {
  const code = codeOf(cause);
  const sentence = connected ? brokenBy(code) : refusedBy(code);
  const message = `${where} ${sentence}${code && ` (${code})`}.`;
  return new DeliveryFailure("unreachable", message, { cause, requestSent: connected ? "unknown" : "no" });
}

const refusedBy = (code: string) =>
  reasons.find(([codes]) => codes.test(code))?.[1] ?? "broke the connection before anything was sent";

const brokenBy = (code: string) =>
  code.startsWith("HPE_")
    ? "does not answer in HTTP"
    : "broke the connection; it may have received the request";

/** If the connection timed out, nothing was sent. If the answer timed out, something may have been. */
export function timedOut(waitedFor: "connection" | "answer", timeoutMs: number): DeliveryFailure {
  const seconds = `${timeoutMs / 1000} s`;
  const message =
    waitedFor === "connection"
      ? `The integration took no connection within ${seconds}, so nothing was sent. A firewall may be in between.`
      : `The integration gave no complete answer within ${seconds}. It may have taken the request.`;
  const requestSent = waitedFor === "connection" ? "no" : "unknown";
  return new DeliveryFailure("timed_out", message, { requestSent });
}

/** The integration keeps the caller waiting with interim answers. It has probably received the request. */
export const neverEnding = (where: string) =>
  new DeliveryFailure(
    "unreachable",
    `${where} sends interim answers (1xx) without end, and no final one. It may have taken the request.`,
    { requestSent: "unknown" },
  );

/** The error code. If several addresses failed, the code of the first one. */
function codeOf(error: unknown): string {
  const first = error instanceof AggregateError ? error.errors[0] : error;
  const code = (first as { readonly code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : "";
}
