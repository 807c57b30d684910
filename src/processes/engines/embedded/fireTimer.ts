/** Timers of instances whose moment has come. */
import { retriesInSilence } from "../../../infrastructure/jobs/runner.ts";
import { Problem } from "../../../infrastructure/problem.ts";
import type { EngineContext, TimerJob } from "./engineContext.ts";
import { raiseOfTimer } from "./incidents.ts";
import { ProcessFailure, StaleEvent, type Waiting } from "./run.ts";
import { advance } from "./step.ts";

/**
 * Fires the first timer that is due; the step enqueues the job of the next. One that cannot go on becomes an incident,
 * and the others have their turn. Jobs may come late, twice, or for an instance that has gone on: then nothing happens.
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
        ...told(error),
        activityId: timer?.activityId ?? "",
        cause: error,
      });
      if (!timer) return;
      failed.add(timer.executionId);
    }
  }
}

/** The timer's event that the process cannot go on from. */
const timerOf = (error: unknown): Waiting | undefined =>
  error instanceof Problem && error.cause instanceof ProcessFailure ? error.cause.timer : undefined;

const isProcessFailure = (error: unknown): error is Problem =>
  error instanceof Problem && error.code === "process_failed";

function told(error: unknown): { readonly type: string; readonly message: string } {
  if (isProcessFailure(error))
    return {
      type: error.code,
      message: `A timer has fired, but the process cannot go on: ${error.message}`,
    };
  const message = "A timer is due, but something goes wrong on our side again and again; the log knows more.";
  return { type: "internal_error", message };
}
