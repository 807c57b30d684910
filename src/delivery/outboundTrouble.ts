/** Calls that got no answer, in sentences for an operator. */
import { DeliveryFailure } from "./failure.ts";

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
  [/^HPE_/, "does not answer in HTTP"],
];

/** `where` is a URL as it may be shown. */
export function unreachable(where: string, cause: unknown): DeliveryFailure {
  const code = codeOf(cause);
  const sentence = reasons.find(([codes]) => codes.test(code))?.[1];
  const trouble = sentence ?? "broke the connection; the request may have reached it all the same";
  return new DeliveryFailure("unreachable", `${where} ${trouble}${code && ` (${code})`}.`, { cause });
}

/** The connection timed out: nothing was sent. The answer timed out: something may have been. */
export function timedOut(waitedFor: "connection" | "answer", timeoutMs: number): DeliveryFailure {
  const seconds = `${timeoutMs / 1000} s`;
  const message =
    waitedFor === "connection"
      ? `The integration took no connection within ${seconds}, so nothing was sent. A firewall may be in between.`
      : `The integration gave no complete answer within ${seconds}. It may have taken the request all the same.`;
  return new DeliveryFailure("timed_out", message);
}

/** Of several addresses that all failed, the first one's. */
function codeOf(error: unknown): string {
  const first = error instanceof AggregateError ? error.errors[0] : error;
  const code = (first as { readonly code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : "";
}
