/** Fires the timers of instances. */
import { retriesInSilence } from "../../../infrastructure/jobs/runner.ts";
import { Problem } from "../../../infrastructure/problem.ts";
import type { EngineContext, TimerJob } from "./engineContext.ts";
import { raiseOfTimer } from "./incidents.ts";
import { finalAdviceFor, ProcessFailure } from "./processFailure.ts";
import { StaleEvent } from "./run.ts";
import { advance } from "./step.ts";
import type { Waiting } from "./stepWatch.ts";

/**
 * Fires the first timer that is due. The step enqueues the job of the next timer. A timer that fails becomes an
 * incident, and the next one fires. A job may come late, twice, or after the instance has moved on: then nothing
 * happens.
 */
export async function fireTimer(context: EngineContext, job: TimerJob, retries: number): Promise<void> {
  const { process_instance_id: processInstanceId, tenant_id: tenantId } = job;
  const instance = { id: processInstanceId, tenantId };
  const failed = new Set<string>();
  for (;;) {
    const event = { kind: "timerDue", except: failed } as const;
    try {
      await advance(context, { tenantId, processInstanceId, event });
      context.serviceTasks.notify();
      context.timers.notify();
      return;
    } catch (error) {
      if (error instanceof StaleEvent) return;
      const timer = timerOf(error);
      if (!isProcessFailure(error) && retries < retriesInSilence) throw error;
      await raiseOfTimer(context, instance, {
        ...describe(error),
        activityId: timer?.activityId ?? "",
        cause: error,
      });
      if (!timer) return;
      failed.add(timer.executionId);
    }
  }
}

/** The event of the timer that failed. */
const timerOf = (error: unknown): Waiting | undefined =>
  error instanceof Problem && error.cause instanceof ProcessFailure ? error.cause.timer : undefined;

const isProcessFailure = (error: unknown): error is Problem =>
  error instanceof Problem && error.code === "process_failed";

function describe(error: unknown): { readonly type: string; readonly message: string } {
  if (isProcessFailure(error))
    return {
      type: error.code,
      message: ["A timer fired, but the process could not continue:", error.message, finalAdviceFor(error)]
        .filter((text) => text !== undefined)
        .join(" "),
    };
  const message =
    "A timer could not fire because of a server error. See the server log, and rerun the incident.";
  return { type: "internal_error", message };
}
