/** What a request must pass before its body is read: the method, the authentication and the rate limit. */
import type { Deps } from "../deps.ts";
import { operations } from "../generated/operations.ts";
import { Problem } from "../infrastructure/problem.ts";
import {
  authenticateAnyTenant,
  authenticateUser,
  authenticateVisitor,
  tenantHeaderMissing,
} from "./caller.ts";
import { clientAddress, limitKeyOf } from "./clientAddress.ts";
import { enforceRateLimit } from "./rateLimit.ts";
import { contextOf, type Operation, type RequestContext } from "./requestContext.ts";

export interface Arrival {
  readonly request: Request;
  readonly params: Readonly<Record<string, string>> | undefined;
  readonly server: {
    requestIP(request: Request): { readonly address: string } | null;
    timeout(request: Request, seconds: number): void;
  } | null;
}

/** Does its work once for each request, however often it is called. */
export async function admit(arrival: Arrival, operation: Operation, deps: Deps): Promise<void> {
  const { request, params } = arrival;
  const context = contextOf(request);
  if (context.operation) return;
  // Elysia passes HEAD to the GET handler. The contract has no HEAD.
  if (request.method !== operation.method) throw methodNotAllowed(operation.path);
  context.operation = operation;
  if (params?.table !== undefined) context.table = params.table;
  if (operation.audit) context.subject = namesIn(params);
  await authenticate(arrival, context, { operation, deps });
  if (!operation.rateLimit) return;
  if (operation.rateLimit.per === "address") context.address = addressOf(arrival, deps);
  const who = context.address ?? userOf(context);
  Object.assign(context.headers, await enforceRateLimit(deps, operation.rateLimit, who));
}

/** The path parameters except the tenant. */
const namesIn = (params: Arrival["params"] = {}) =>
  Object.entries(params)
    .flatMap(([name, value]) => (name === "tenantId" ? [] : [value]))
    .join(" ");

/** Authenticates the caller for the tenant that the body names. Needed once the body has been read. */
export async function admitToTenant(request: Request, tenantId: unknown, { operation, deps }: Admission) {
  const demand = { roles: operation.security?.roles ?? [], tenant: { id: String(tenantId) } };
  contextOf(request).caller = await authenticateUser(request, demand, deps);
}

const operationsByPath = Map.groupBy<string, Operation>(Object.values(operations), ({ path }) => path);

/** 405 with all methods that the contract has on this path. */
export function methodNotAllowed(path: string): Problem {
  const allowed = operationsByPath.get(path)?.map(({ method }) => method) ?? [];
  return new Problem("method_not_allowed", { headers: { Allow: allowed.join(", ") } });
}

interface Admission {
  readonly operation: Operation;
  readonly deps: Deps;
}

async function authenticate(
  arrival: Arrival,
  context: RequestContext,
  { operation, deps }: Admission,
): Promise<void> {
  const { request, params } = arrival;
  const { security, tenantIn } = operation;
  if (!security) return;
  if (security.scheme === "formToken") context.caller = await authenticateVisitor(request, deps);
  else if (tenantIn === "body") await authenticateAnyTenant(request, security.roles, deps);
  else {
    const tenant = tenantIn === "path" ? { id: params?.tenantId ?? "" } : { slug: activeTenant(request) };
    context.caller = await authenticateUser(request, { roles: security.roles, tenant }, deps);
  }
}

/** Read before the token, so that the answer to a missing header does not depend on the token. */
function activeTenant({ headers }: Request): string {
  const slug = headers.get("x-active-tenant");
  if (slug !== null) return slug;
  throw tenantHeaderMissing();
}

/** A user of two tenants has a limit in each: equal names may belong to different people. */
function userOf({ caller }: RequestContext): string {
  if (!caller || !("subject" in caller))
    throw new Error("a rate limit per user needs an operation with an access token");
  return `${caller.tenant.id}:${caller.subject}`;
}

function addressOf({ request, server }: Arrival, { config }: Deps): string {
  const peer = server?.requestIP(request)?.address ?? "0.0.0.0";
  return limitKeyOf(clientAddress(peer, request.headers.get("x-forwarded-for"), config.trustedProxies));
}
