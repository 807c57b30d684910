/**
 * Who is calling? All authentication failures return the same 401: a missing, invalid, expired or revoked token, a
 * tenant that the token does not name, a role that it does not give.
 */
import type { Deps } from "../deps.ts";
import { isEmbed } from "../forms/embeds.ts";
import type { Claims } from "../infrastructure/identity/accessTokens.ts";
import { knownRoles } from "../infrastructure/identity/roles.ts";
import { Problem } from "../infrastructure/problem.ts";
import type { Caller, Visitor } from "../tenants/caller.ts";
import { resolveTenant } from "../tenants/resolveTenant.ts";
import { isRevoked } from "../tenants/tokenRevocations/revocationCache.ts";

export interface Demand {
  /** The caller needs one of these roles. Empty if any known role is enough. */
  readonly roles: readonly string[];
  /** The tenant that the request names. Undefined if it is not known before the body is read. */
  readonly tenant: { readonly id: string } | { readonly slug: string } | undefined;
}

/** The verified user with the tenant. The tenant is provisioned on first use. */
export async function authenticateUser(request: Request, demand: Demand, deps: Deps): Promise<Caller> {
  const membership = await findMembership(request, demand, deps);
  const { id, slug, roles, groups = [] } = membership;
  const tenant = await resolveTenant(deps, id, slug);
  if (tenant) return { subject: membership.subject, tenant, roles, groups };
  deps.log.warn(
    { tenant_id: id, slug },
    "Token refused: its tenant id and slug belong to two different tenants",
  );
  throw unauthenticated();
}

/** Throws unless some tenant of the token gives one of the roles. More cannot be checked before the body is read. */
export async function authenticateAnyTenant(
  request: Request,
  roles: readonly string[],
  deps: Deps,
): Promise<void> {
  await findMembership(request, { roles, tenant: undefined }, deps);
}

/** The visitor of the form session token. Throws `not_configured` if the instance has no public forms. */
export async function authenticateVisitor(
  request: Request,
  { formTokens, sql, caches }: Deps,
): Promise<Visitor> {
  if (!formTokens) throw new Problem("not_configured", { message: "This server has no public forms." });
  const verified = await formTokens.verify(request.headers.get("x-probis-form-token") ?? "");
  const tenant = verified && (await resolveTenant({ sql, caches }, verified.tenant.id, verified.tenant.slug));
  const { embedId } = verified ?? {};
  if (!verified || !tenant || (embedId !== undefined && !(await isEmbed(sql, tenant.id, embedId))))
    throw new Problem("unauthenticated", { message: "A valid form session token is needed." });
  const { sessionId: id, processKey, expiresAt } = verified;
  return { id, tenant, processKey, expiresAt, embedId };
}

async function findMembership(
  request: Request,
  { roles, tenant }: Demand,
  { accessTokens, sql, caches }: Deps,
) {
  const token = /^Bearer +([\w.~+/=-]+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
  const claims = token === undefined ? undefined : await accessTokens.verify(token);
  const asked = roles.length > 0 ? roles : knownRoles;
  for (const membership of claims?.tenants ?? [])
    if (isNamed(membership, tenant) && holdsOne(membership.roles, asked))
      if (claims && !(await isRevoked({ sql, caches }, membership.id, jtiOf(claims))))
        return { ...membership, subject: claims.sub };
  throw unauthenticated();
}

/** Text according to the standard. Some issuers write a number. */
const jtiOf = ({ jti }: Claims) =>
  typeof jti === "string" || typeof jti === "number" ? String(jti) : undefined;

const holdsOne = (held: readonly string[], asked: readonly string[]) =>
  held.some((role) => asked.includes(role));

function isNamed({ id, slug }: { id: number; slug: string }, tenant: Demand["tenant"]): boolean {
  if (tenant === undefined) return true;
  return "id" in tenant ? String(id) === tenant.id : slug === tenant.slug;
}

/** Does not depend on the token, so a caller without the header learns nothing about the token. */
export const tenantHeaderMissing = () =>
  unauthenticated("The header x-active-tenant is missing. It takes the workspace slug.");

const unauthenticated = (message = "A valid access token of an authorised user is needed.") =>
  new Problem("unauthenticated", { message, headers: { "WWW-Authenticate": "Bearer" } });
