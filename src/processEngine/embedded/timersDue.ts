/** Timers of instances whose moment has come. */
import { Problem } from "../../problem.ts";
import { raiseOfTimer } from "./incidents.ts";
import { NothingWaits } from "./run.ts";
import { advance, type TimerJob, type Within } from "./step.ts";

/** Fires what is due. Jobs may come late, twice, or for an instance that has gone on: then nothing happens. */
export async function fireTimers(within: Within, job: TimerJob): Promise<void> {
  const { process_instance_id: processInstanceId, tenant_id: tenantId } = job;
  const step = { tenantId, processInstanceId, event: { kind: "timersDue" } } as const;
  try {
    await within.sql.begin((tx) => advance(tx, within, step));
    within.serviceTasks.ring();
  } catch (error) {
    if (error instanceof NothingWaits) return;
    if (!(error instanceof Problem) || error.code !== "process_failed") throw error;
    const message = `A timer has fired, but the process cannot go on: ${error.message}`;
    await raiseOfTimer(within, { id: processInstanceId, tenantId }, { message, cause: error.cause });
  }
}
