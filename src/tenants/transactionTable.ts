/** The name of a process's transaction table, which is in its tenant's schema. */
import { quoteTable } from "../infrastructure/database/identifiers.ts";
import { schemaOf } from "./tenant.ts";

export const transactionTableName = (processKey: string) => `trx_${processKey}`;

/** The name with its schema, quoted for SQL. */
export const transactionTable = (tenantId: number, processKey: string) =>
  quoteTable(schemaOf(tenantId), transactionTableName(processKey));
