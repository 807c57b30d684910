/**
 * Who is calling? Every reason to refuse is the same 401 (design 5; reference: tenant-table-builder 5): no token, a
 * bad one, an expired one, a tenant it does not name, a role it does not hold.
 */
import type { Deps } from "../deps.ts";
import type { Caller } from "../handler.ts";
import { Problem } from "../problem.ts";
import { resolveTenant } from "../tenants/tenant.ts";

export interface Demand {
  /** Roles of which the caller needs one; empty where any member will do. */
  readonly roles: readonly string[];
  /** The path's `{tenantId}` as it stands there; undefined where the header `x-active-tenant` names the tenant. */
  readonly tenantId: string | undefined;
}

/** The verified caller with the tenant, which is provisioned on first use. */
export async function authenticate(request: Request, demand: Demand, deps: Deps): Promise<Caller> {
  const token = /^Bearer +([\w.~+/=-]+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
  const claims = token === undefined ? undefined : await deps.accessTokens.verify(token);
  const names = tenantNamed(request, demand);
  const membership = claims?.tenants.find(names);
  const holds = demand.roles.length === 0 || membership?.roles.some((role) => demand.roles.includes(role));
  if (!claims || !membership || !holds) throw unauthenticated();
  const tenant = await resolveTenant(deps.sql, membership.id, membership.slug);
  if (!tenant) {
    const { id, slug } = membership;
    deps.log.warn({ tenant_id: id, slug }, "a token pairs a tenant id and a slug that belong to two tenants");
    throw unauthenticated();
  }
  return { subject: claims.sub, tenant, roles: membership.roles };
}

function tenantNamed(request: Request, { tenantId }: Demand) {
  const slug = request.headers.get("x-active-tenant");
  return (tenant: { readonly id: number; readonly slug: string }) =>
    tenantId === undefined ? tenant.slug === slug : String(tenant.id) === tenantId;
}

const unauthenticated = () =>
  new Problem("unauthenticated", {
    message: "A valid access token of an authorised user is needed.",
    headers: { "WWW-Authenticate": "Bearer" },
  });
