/** Steps of tests that change tables. */
import type { AlterationAnswer, TableAlteration, TableRecord } from "../../sdk/src/generated/index.ts";
import type { TestServer, TokenClaims } from "./server.ts";

export interface AlterOptions {
  readonly dryRun?: boolean;
  readonly confirm?: boolean;
  readonly purge?: boolean;
  readonly ifMatch?: string;
  readonly caller?: TokenClaims;
}

/** Changes a table through the SDK. */
export async function alter(
  server: TestServer,
  table: string,
  tableAlteration: TableAlteration,
  { dryRun, confirm, purge, ifMatch, caller }: AlterOptions = {},
): Promise<AlterationAnswer["data"]> {
  const api = await server.tables(caller);
  const answer = await api.alterTable({
    tenantId: caller?.tenant ?? 1,
    table,
    tableAlteration,
    ...(dryRun === undefined ? {} : { $dryRun: dryRun }),
    ...(confirm === undefined ? {} : { confirm }),
    ...(purge === undefined ? {} : { $purge: purge }),
    ...(ifMatch === undefined ? {} : { ifMatch }),
  });
  return answer.data;
}

export async function definitionOf(server: TestServer, table: string): Promise<TableRecord> {
  const api = await server.tables();
  return (await api.getTable({ tenantId: 1, table, $dropped: true })).data;
}

/** The dropped tables of tenant 1. */
export async function droppedTables(server: TestServer): Promise<TableRecord[]> {
  const api = await server.tables();
  return (await api.listTables({ tenantId: 1, $dropped: true })).data.tables;
}
