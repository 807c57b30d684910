/**
 * Loads the variables that the placeholders of a service task name, once there is room in memory for them. Hundreds of
 * requests may wait for external systems at the same time, and one value may have 25 MB.
 */
import type { Sql } from "../../../infrastructure/database/connect.ts";
import { createFairShare, type FairShare } from "../../../infrastructure/fairShare.ts";
import { DeliveryFailure } from "../../../infrastructure/outbound/failure.ts";
import type { LoadedVariables } from "../../delivery/deliver.ts";
import { namesSent, namesUsed, type ServiceTaskConfig } from "../../delivery/serviceTask.ts";
import type { TypedValues } from "../../variables/variable.ts";
import type { ClaimedRow } from "./serviceTaskQueries.ts";
import { forDelivery, readContents, readForDelivery, sizesForDelivery } from "./variableQueries.ts";

/** Bytes, shared among tenants. */
export interface DeliveryMemory {
  /** Values that are being written into a request. */
  readonly values: FairShare;
  /** Requests that wait for their answers. */
  readonly requests: FairShare;
}

const megabyte = 1024 ** 2;
/** As long as the longest call may take. */
const maxWaitMs = 600_000;
const share = { capacity: 256 * megabyte, groupCapacity: 128 * megabyte, maxWaitMs, maxWaiting: 256 };

export const createDeliveryMemory = (): DeliveryMemory => ({
  values: createFairShare(share),
  requests: createFairShare(share),
});

/** Bytes of all values in a request. Enough for all values that one request to Waybill can write. */
const mostBytes = 32 * megabyte;
/** A value is in memory three times: as the database sent it, parsed, and written into the request. */
const copies = 3;

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
  if (bytes > mostBytes) throw tooLarge(bytes, config);
  const files = sizes.filter(({ type }) => type === "File").map(({ name }) => name);
  // In this order, so that a holder of room for values never waits for room for requests.
  const ended = await memory.requests.take(String(tenantId), bytes);
  try {
    const written = await memory.values.take(String(tenantId), copies * bytes);
    try {
      return { variables: await read(sql, id, { names, files }), written, ended };
    } catch (error) {
      written();
      throw error;
    }
  } catch (error) {
    ended();
    throw error;
  }
}

async function read(
  sql: Sql,
  id: string,
  { names, files }: { readonly names: readonly string[] | null; readonly files: readonly string[] },
): Promise<TypedValues> {
  const variables = forDelivery(await readForDelivery(sql, id, names));
  return files.length === 0 ? variables : { ...variables, ...(await readContents(sql, id, files)) };
}

const tooLarge = (bytes: number, { kind }: ServiceTaskConfig) =>
  new DeliveryFailure(
    "value_does_not_fit",
    kind === "addon"
      ? `The instance's variables have ${bytes} bytes. An addon gets all of them, up to ${mostBytes} bytes.`
      : `The values of the placeholders have ${bytes} bytes. A request can have up to ${mostBytes} bytes of values.`,
  );
