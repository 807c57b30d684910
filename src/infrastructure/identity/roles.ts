/** The roles that a token may give in a tenant. Any other word in a token's list gives nothing. */
export const knownRoles: readonly string[] = ["admin_sop", "member", "engine"];
