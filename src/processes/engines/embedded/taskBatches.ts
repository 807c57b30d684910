/** What service tasks of one tenant do together: one statement for all that ask at the same time. */
import { inBatches } from "../../../infrastructure/batches.ts";
import type { Sql } from "../../../infrastructure/database/connect.ts";
import { databaseProblem } from "../../../infrastructure/database/databaseProblem.ts";
import {
  type Claim,
  type ClaimedRow,
  claimTasks,
  markTasksSent,
  type TaskRow,
} from "./serviceTaskQueries.ts";

/** Each function serves one task, and says what the function of the same name in the plural says of many. */
export interface TaskBatches {
  claim(claim: Claim): Promise<ClaimedRow | undefined>;
  markSent(task: TaskRow): Promise<boolean>;
}

/** As many tasks as one tenant may have running. */
const mostSize = 64;

/** A database that is away, or is busy, is nobody's fault. */
const mayBeOfOne = (error: unknown) => databaseProblem(error) === undefined;

/**
 * Two tasks of one instance never go together. So a batch waits for the step of an instance at most, which waits for no
 * other task of the batch.
 */
export const createTaskBatches = (sql: Sql): TaskBatches => ({
  claim: inBatches<Claim, ClaimedRow | undefined>({
    run: (claims) => claimTasks(sql, claims),
    groupOf: ({ job }) => job.tenant_id,
    keyOf: ({ job }) => job.process_instance_id ?? job.service_task_id,
    mostSize,
    mayBeOfOne,
  }),
  markSent: inBatches<TaskRow, boolean>({
    run: (tasks) => markTasksSent(sql, tasks),
    groupOf: ({ tenantId }) => tenantId,
    keyOf: ({ processInstanceId }) => processInstanceId,
    mostSize,
    mayBeOfOne,
  }),
});
