/** A tenant. No two tenants share an id, a slug or a schema. */
export interface Tenant {
  readonly id: number;
  readonly slug: string;
  /** The PostgreSQL schema that holds the tenant's tables. Made from the id, so its name needs no escaping. */
  readonly schema: string;
}

export const schemaOf = (tenantId: number) => `tenant_${tenantId}`;
