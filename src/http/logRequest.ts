/** Logs one line per request. The path has no query, because a query may hold tokens and personal data. */
import type { Deps } from "../deps.ts";
import { contextOf } from "./requestContext.ts";

export function logRequest({ log }: Deps) {
  return ({ request }: { readonly request: Request }): void => {
    if (!log.isLevelEnabled("info")) return;
    const { requestId, startedAt, operation, caller, status } = contextOf(request);
    log.info(
      {
        request_id: requestId,
        method: request.method,
        path: pathOf(request.url),
        operation: operation?.id,
        tenant_id: caller?.tenant.id,
        subject: caller && "subject" in caller ? caller.subject : undefined,
        status,
        ms: Math.round((performance.now() - startedAt) * 100) / 100,
      },
      "request",
    );
  };
}

/** Does not use `new URL`, which throws if the Host header is not a host name. */
const pathOf = (url: string) => /^\w+:\/\/[^/?#]*([^?#]*)/.exec(url)?.[1];
