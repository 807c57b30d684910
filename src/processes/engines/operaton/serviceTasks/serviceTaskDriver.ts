/** The service tasks of a remote engine: what `EngineDriver` needs of them. See docs/decisions/service-tasks.md. */
import type { Jobs } from "../../../../infrastructure/jobs/jobs.ts";
import { createDeliveryMemory } from "../../../delivery/deliveryMemory.ts";
import type { CarryOut, ServiceTasks } from "../../../serviceTasks.ts";
import type { OperatonContext } from "../operatonContext.ts";
import { type Claimed, claim } from "./claim.ts";
import { closeAbandoned } from "./closeAbandoned.ts";
import type { ServiceTaskContext } from "./externalTask.ts";
import { fetchTasks } from "./fetchTasks.ts";
import { serviceTasksOf } from "./serviceTasks.ts";
import { createTaskBatches } from "./taskBatches.ts";

export interface ServiceTaskDriver {
  readonly serviceTasks: ServiceTasks;
  /** Begins to fetch tasks. The work drains and ends with the jobs. */
  work(carryOut: CarryOut, jobs: Jobs): Promise<void>;
}

/** A request may go out only while its lock holds for this long, in milliseconds. */
const sureMs = 5_000;

export function createServiceTaskDriver(context: OperatonContext): ServiceTaskDriver {
  const worker = `waybill-${Bun.randomUUIDv7()}`;
  const own: ServiceTaskContext = {
    ...context,
    worker,
    memory: createDeliveryMemory(),
    batches: createTaskBatches(context),
  };
  let isEnding = false;
  return {
    serviceTasks: serviceTasksOf(own, () => isEnding),
    work: async (carryOut, jobs) => {
      const fetcher = fetchTasks(own, async (fetched) => {
        const task: Claimed | undefined = await claim(own, fetched);
        const retries = (task?.row.begun ?? 1) - 1;
        const isSure = () => fetched.lock.remainingMs() > sureMs;
        if (task) await carryOut(task, { retries, isSure });
      });
      jobs.onDrain(() => {
        isEnding = true;
        return fetcher.drain();
      });
      await jobs.recur({ name: "external-tasks", everySeconds: 3_600, run: () => closeAbandoned(own) });
    },
  };
}
