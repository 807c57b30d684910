/** Work of deliveries that other threads do. */
import { DeliveryFailure, type FailureCode } from "../../infrastructure/outbound/failure.ts";
import { workIn } from "../../infrastructure/workers/workers.ts";
import { type Hidden, withoutHidden } from "./hidden.ts";
import { type Material, type WrittenRequest, writtenRequest } from "./request.ts";

export interface Failed {
  readonly failure: { readonly code: FailureCode; readonly message: string };
}

export const writeLimitMs = 5_000;
const concealLimitMs = 2_000;

const here = new URL(import.meta.url);
export const writeInThread = workIn<{ write: typeof write }>()(here, "write", writeLimitMs);
export const concealInThread = workIn<{ hide: typeof hide }>()(here, "hide", concealLimitMs);

/** Returns the body as bytes: they pass between threads faster than text. */
export function write(material: Material): WrittenRequest | Failed {
  Bun.gc(true);
  try {
    const { request, occurrences } = writtenRequest(material);
    const { body } = request;
    return { request: body === undefined ? request : { ...request, body: Buffer.from(body) }, occurrences };
  } catch (error) {
    if (!(error instanceof DeliveryFailure)) throw error;
    return { failure: { code: error.code, message: error.message } };
  }
}

export const hide = ({ text, hidden }: { readonly text: string; readonly hidden: readonly Hidden[] }) =>
  withoutHidden(text, hidden);
