/**
 * Memory for the values of requests. Hundreds of requests may wait for external systems at the same time, and one value
 * may have 25 MB.
 */
import { createFairShare, type FairShare } from "../../infrastructure/fairShare.ts";
import { DeliveryFailure } from "../../infrastructure/outbound/failure.ts";
import type { TypedValues } from "../variables/variable.ts";
import type { LoadedVariables } from "./deliver.ts";
import type { ServiceTaskConfig } from "./serviceTask.ts";

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
export const mostBytes = 32 * megabyte;
/** A value is in memory three times: as it was received, parsed, and written into the request. */
const copies = 3;

interface Loading {
  readonly tenantId: number;
  /** Bytes of the values, or more if that is not known yet. */
  readonly bytes: number;
  /** Reads the values, and says how many bytes they have. */
  readonly read: () => Promise<{ readonly variables: TypedValues; readonly bytes: number }>;
}

/** Reads values once there is room for them. */
export async function loadWithin(
  memory: DeliveryMemory,
  { tenantId, bytes, read }: Loading,
): Promise<LoadedVariables> {
  // In this order, so that a holder of room for values never waits for room for requests.
  const ended = await memory.requests.take(String(tenantId), bytes);
  try {
    const written = await memory.values.take(String(tenantId), copies * bytes);
    try {
      const { variables, bytes: actual } = await read();
      ended.allBut(actual);
      written.allBut(copies * actual);
      return { variables, written, ended };
    } catch (error) {
      written();
      throw error;
    }
  } catch (error) {
    ended();
    throw error;
  }
}

export const valuesTooLarge = (bytes: number | undefined, { kind }: ServiceTaskConfig) => {
  const size = bytes === undefined ? `more than ${mostBytes} bytes` : `${bytes} bytes`;
  return new DeliveryFailure(
    "value_does_not_fit",
    kind === "addon"
      ? `The instance's variables have ${size}. An addon gets all of them, up to ${mostBytes} bytes.`
      : `The values of the placeholders have ${size}. A request can have up to ${mostBytes} bytes of values.`,
  );
};
