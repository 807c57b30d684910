/** The engine's lock on a task, seen from the process that has it. */
import { heartbeatSince, type Moment, moment } from "../../../../infrastructure/jobs/heartbeat.ts";
import { at, type EngineRest } from "../rest.ts";
import { lockMs } from "./externalTask.ts";

export interface Lock {
  /** At least how long the lock still holds, in milliseconds. Negative if it may have expired. */
  remainingMs(): number;
  /** Sets how long the lock holds from now on. Throws if it has expired: it cannot be extended then. */
  setRemaining(ms: number): Promise<void>;
}

/** `before` is a time before the engine set the lock: the answer does not say when that was on this clock. */
export function createLock(
  rest: EngineRest,
  { id, worker }: { readonly id: string; readonly worker: string },
  before: Moment,
): Lock {
  const heartbeat = heartbeatSince(before);
  let duration = lockMs;
  return {
    remainingMs: () => duration - heartbeat.ageMs(),
    setRemaining: async (ms) => {
      const calledAt = moment();
      await rest.call({
        method: "POST",
        path: at`/external-task/${id}/extendLock`,
        body: { workerId: worker, newDuration: ms },
      });
      heartbeat.confirm(calledAt);
      duration = ms;
    },
  };
}

/** Lets any process have the task again. The engine asks for no worker's id here. */
export const unlock = (rest: EngineRest, id: string) =>
  rest.call({ method: "POST", path: at`/external-task/${id}/unlock` });
