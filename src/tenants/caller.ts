/** Who sends a request. */
import type { Tenant } from "./tenant.ts";

/** A verified user of an existing tenant, with a role that the operation requires. */
export interface Caller {
  /** The token's `sub`. */
  readonly subject: string;
  readonly tenant: Tenant;
  /** The caller's roles in this tenant. */
  readonly roles: readonly string[];
  /** The groups that the token names for this tenant. */
  readonly groups: readonly string[];
}

/** A visitor of an embedded start form, from the form session token. */
export interface Visitor {
  /** The id of the form session. */
  readonly id: string;
  readonly tenant: Tenant;
  readonly processKey: string;
  readonly expiresAt: Date;
  /** The embed where the session began. Undefined for a session that the platform began itself. */
  readonly embedId: string | undefined;
}
