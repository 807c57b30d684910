/** Calls that got no answer, in sentences for an operator. */
import { DeliveryFailure } from "./failure.ts";

/** None of these lets a request through. */
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

/** Its answer began, so it got the request. */
const noHttp = /^HPE_/;

/** `where` is a URL as it may be shown. */
export function unreachable(where: string, cause: unknown): DeliveryFailure {
  const code = codeOf(cause);
  const sentence = reasons.find(([codes]) => codes.test(code))?.[1];
  const broken = noHttp.test(code)
    ? "does not answer in HTTP"
    : "broke the connection; the request may have reached it all the same";
  const requestSent = sentence === undefined ? "unknown" : "no";
  const message = `${where} ${sentence ?? broken}${code && ` (${code})`}.`;
  return new DeliveryFailure("unreachable", message, { cause, requestSent });
}

/** The connection timed out: nothing was sent. The answer timed out: something may have been. */
export function timedOut(waitedFor: "connection" | "answer", timeoutMs: number): DeliveryFailure {
  const seconds = `${timeoutMs / 1000} s`;
  const message =
    waitedFor === "connection"
      ? `The integration took no connection within ${seconds}, so nothing was sent. A firewall may be in between.`
      : `The integration gave no complete answer within ${seconds}. It may have taken the request all the same.`;
  const requestSent = waitedFor === "connection" ? "no" : "unknown";
  return new DeliveryFailure("timed_out", message, { requestSent });
}

/** Of several addresses that all failed, the first one's. */
function codeOf(error: unknown): string {
  const first = error instanceof AggregateError ? error.errors[0] : error;
  const code = (first as { readonly code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : "";
}
