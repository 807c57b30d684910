/** Repeats a change that the engine has rolled back because another one was faster. */
import { EngineError } from "./restErrors.ts";

const mostTries = 6;
const pauseMs = 30;

/** Repeats after refusals by optimistic locking only: then nothing has changed. */
export async function repeatIfLocked<T>(change: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await change();
    } catch (error) {
      if (!(error instanceof EngineError && error.isOptimisticLocking) || tries === mostTries) throw error;
      await Bun.sleep(tries * pauseMs * (0.5 + Math.random()));
    }
  }
}
