/** A tenant owns one schema. Its id, slug and schema belong to nobody else. */
export interface Tenant {
  readonly id: number;
  readonly slug: string;
  /** The PostgreSQL schema that holds the tenant's tables. Made of the id, so safe to quote. */
  readonly schema: string;
}

export const schemaOf = (tenantId: number) => `tenant_${tenantId}`;
