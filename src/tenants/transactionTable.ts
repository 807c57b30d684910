/** A process's transaction table stands in its tenant's schema (design 9 and 10). */
import { quoteTable } from "../infrastructure/database/identifiers.ts";
import { schemaOf } from "./tenant.ts";

export const transactionTableName = (processKey: string) => `trx_${processKey}`;

/** Quoted, with its schema. */
export const transactionTable = (tenantId: number, processKey: string) =>
  quoteTable(schemaOf(tenantId), transactionTableName(processKey));
