/** What a call fails with, for tests that say so. */
import { DeliveryFailure } from "../../../src/infrastructure/outbound/failure.ts";

/** The failure that `work` ends in; anything else is thrown on. */
export async function failureOf(work: () => unknown): Promise<DeliveryFailure> {
  try {
    await work();
  } catch (error) {
    if (error instanceof DeliveryFailure) return error;
    throw error;
  }
  throw new Error("It did not fail");
}

/** The result, or undefined where it is a failure of delivery. */
export function unlessFailed<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof DeliveryFailure) return undefined;
    throw error;
  }
}
