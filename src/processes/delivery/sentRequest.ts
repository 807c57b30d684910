/** What an attempt adds to the request that its templates make. */
import type { Request } from "./request.ts";

export interface Attempt {
  readonly processInstanceId: string;
  readonly activityId: string;
  /** Tells the task from others of the instance. Absent: the activity's id. */
  readonly requestUnit?: string;
  /** From 1. */
  readonly attempt: number;
}

/** The request as it goes out. */
export const sentRequest = (request: Request, attempt: Attempt): Request => ({
  ...request,
  headers: { ...request.headers, "Idempotency-Key": idempotencyKey(attempt) },
});

/** Attempts of one task differ only in their number, so that a receiver recognises a second attempt. */
const idempotencyKey = ({ processInstanceId, activityId, requestUnit, attempt }: Attempt) =>
  `${processInstanceId}:${encodeURIComponent(requestUnit ?? activityId)}:${attempt}`;
