/**
 * Loads the variables that the placeholders of a service task name, once there is room in memory for them. Hundreds of
 * requests may wait for external systems at the same time, and one value may have 25 MB.
 */
import type { Sql } from "../../../infrastructure/database/connect.ts";
import type { LoadedVariables } from "../../delivery/deliver.ts";
import { type DeliveryMemory, loadWithin, mostBytes, valuesTooLarge } from "../../delivery/deliveryMemory.ts";
import { namesSent, namesUsed, type ServiceTaskConfig } from "../../delivery/serviceTask.ts";
import type { TypedValues } from "../../variables/variable.ts";
import type { ClaimedRow } from "./serviceTaskQueries.ts";
import { forDelivery, readContents, readForDelivery, sizesForDelivery } from "./variableQueries.ts";

interface LoaderOptions {
  readonly row: ClaimedRow;
  readonly config: ServiceTaskConfig;
  readonly memory: DeliveryMemory;
}

/** Small variables come with the task. Larger ones are read if they are named, and once there is room. */
export function loaderOf(sql: Sql, options: LoaderOptions): () => Promise<LoadedVariables> {
  return async () => {
    const { row, config } = options;
    const variables = row.variables && forDelivery(row.variables);
    const isFile = (name: string) =>
      Object.hasOwn(variables ?? {}, name) && variables?.[name]?.type === "File";
    if (variables && !namesSent(config).some(isFile))
      return { variables, written: () => {}, ended: () => {} };
    return loadLarge(sql, options);
  };
}

async function loadLarge(sql: Sql, { row, config, memory }: LoaderOptions): Promise<LoadedVariables> {
  const { processInstanceId: id, tenantId } = row;
  const names = config.kind === "addon" ? null : namesUsed(config);
  const sizes = await sizesForDelivery(sql, id, { names, files: namesSent(config) });
  const bytes = sizes.reduce((sum, { size }) => sum + size, 0);
  if (bytes > mostBytes) throw valuesTooLarge(bytes, config);
  const files = sizes.filter(({ type }) => type === "File").map(({ name }) => name);
  const readAll = async () => ({ variables: await read(sql, id, { names, files }), bytes });
  return loadWithin(memory, { tenantId, bytes, read: readAll });
}

async function read(
  sql: Sql,
  id: string,
  { names, files }: { readonly names: readonly string[] | null; readonly files: readonly string[] },
): Promise<TypedValues> {
  const variables = forDelivery(await readForDelivery(sql, id, names));
  return files.length === 0 ? variables : { ...variables, ...(await readContents(sql, id, files)) };
}
