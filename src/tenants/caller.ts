/** Who sends a request, once it is verified. */
import type { Tenant } from "./tenant.ts";

/** Who is calling, and for which tenant: verified, provisioned, and holding a role that the operation asks for. */
export interface Caller {
  /** The token's `sub`. */
  readonly subject: string;
  readonly tenant: Tenant;
  /** The caller's roles in this tenant. */
  readonly roles: readonly string[];
}

/** A visitor of an embedded start form, as the form session token says. */
export interface Visitor {
  /** The form session. */
  readonly id: string;
  readonly tenant: Tenant;
  readonly processKey: string;
  readonly expiresAt: Date;
  /** Where the session began; a platform's own sessions have none. */
  readonly embedId: string | undefined;
}
