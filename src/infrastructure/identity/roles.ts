/** The roles that a token can give in a tenant. Waybill ignores all others. */
export const knownRoles: readonly string[] = ["admin_sop", "member", "engine"];
