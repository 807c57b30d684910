/** What service tasks of one tenant do together: statements on their rows and files, and reading their roots. */
import { inBatches } from "../../../../infrastructure/batches.ts";
import { databaseProblem } from "../../../../infrastructure/database/databaseProblem.ts";
import type { Tenant } from "../../../../tenants/tenant.ts";
import { bindEach, findNamedFiles, type NamedFile } from "../binding/namedFiles.ts";
import { findRoots } from "../binding/roots.ts";
import type { OperatonContext } from "../operatonContext.ts";
import {
  claimTasks,
  closeTasks,
  markTasksSent,
  type NewClaim,
  storeAnswers,
  type TaskAttempt,
  type TaskRow,
} from "./taskQueries.ts";

/** Each function serves one task, and says what the function of the same name in the plural says of many. */
export interface TaskBatches {
  claim(task: NewClaim): Promise<TaskRow | undefined>;
  markSent(attempt: ToMark): Promise<boolean>;
  storeAnswer(answer: ToStore): Promise<string | undefined>;
  close(attempt: TaskAttempt): Promise<void>;
  /** Those of the attachments that the tenant has. */
  findFiles(files: FilesOfTask): Promise<readonly NamedFile[]>;
  /** Returns the ids of those that it has bound. */
  bindFiles(files: ToBind): Promise<readonly string[]>;
  rootOf(instance: { readonly tenant: Tenant; readonly processInstanceId: string }): Promise<string>;
}

type ToMark = TaskAttempt & Pick<TaskRow, "claim">;
type ToStore = TaskAttempt & { readonly outcome: string };

export interface FilesOfTask {
  readonly tenantId: number;
  readonly attachmentIds: readonly string[];
}

type ToBind = FilesOfTask & { readonly rootInstanceId: string };

/** As many tasks as one tenant may have running. */
const mostTasks = 64;
/** Characters of the answers in one statement. */
const mostCharacters = 512 * 1024;
/** Attachments in one statement, but for one task that names more. */
const mostFiles = 500;

/** Another session has locked a row, or waits for one that this statement has locked. */
const isOfRow = (error: unknown) => ["55P03", "40P01"].includes((error as { code?: string }).code ?? "");

/** A database that is away, or has too much to do, is nobody's fault. */
const mayBeOfOne = (error: unknown) => isOfRow(error) || databaseProblem(error) === undefined;

export function createTaskBatches(context: OperatonContext): TaskBatches {
  const { sql } = context;
  const ofRows = {
    groupOf: ({ tenantId }: TaskAttempt) => tenantId,
    keyOf: ({ id }: TaskAttempt) => id,
    mostSize: mostTasks,
    mayBeOfOne,
  };
  const ofFiles = {
    groupOf: ({ tenantId }: FilesOfTask) => tenantId,
    sizeOf: ({ attachmentIds }: FilesOfTask) => attachmentIds.length,
    mostSize: mostFiles,
    mayBeOfOne,
  };
  return {
    claim: inBatches({
      ...ofRows,
      groupOf: ({ tenantId }: NewClaim) => tenantId,
      keyOf: ({ id }: NewClaim) => id,
      run: (tasks) => claimTasks(sql, tasks),
    }),
    markSent: inBatches<ToMark, boolean>({ ...ofRows, run: (attempts) => markTasksSent(sql, attempts) }),
    storeAnswer: inBatches<ToStore, string | undefined>({
      ...ofRows,
      sizeOf: ({ outcome }) => outcome.length,
      mostSize: mostCharacters,
      run: (answers) => storeAnswers(sql, answers),
    }),
    close: inBatches({
      ...ofRows,
      run: async (attempts) => {
        await closeTasks(sql, attempts);
        return [];
      },
    }),
    findFiles: inBatches({ ...ofFiles, run: (files) => findFilesOf(context, files) }),
    bindFiles: inBatches<ToBind, readonly string[]>({
      ...ofFiles,
      run: (files) => bindFilesOf(context, files),
    }),
    rootOf: inBatches({
      groupOf: ({ tenant }) => tenant.id,
      mostSize: mostTasks,
      mayBeOfOne: () => false,
      run: (instances) => rootsOf(context, instances),
    }),
  };
}

const tenantOf = ([first]: readonly FilesOfTask[]) => first?.tenantId ?? 0;

async function findFilesOf({ sql }: OperatonContext, tasks: readonly FilesOfTask[]): Promise<NamedFile[][]> {
  const ids = new Set(tasks.flatMap(({ attachmentIds }) => attachmentIds));
  const found = await findNamedFiles(sql, tenantOf(tasks), [...ids]);
  const files = new Map(found.map((file) => [file.id, file]));
  return tasks.map(({ attachmentIds }) => attachmentIds.flatMap((id) => files.get(id) ?? []));
}

/** A file that several tasks name goes to the first of them. */
async function bindFilesOf({ sql }: OperatonContext, tasks: readonly ToBind[]): Promise<string[][]> {
  const rootOf = new Map<string, string>();
  for (const { attachmentIds, rootInstanceId } of tasks)
    for (const id of attachmentIds) if (!rootOf.has(id)) rootOf.set(id, rootInstanceId);
  const bound = new Set(await bindEach(sql, tenantOf(tasks), rootOf));
  return tasks.map(({ attachmentIds, rootInstanceId }) =>
    attachmentIds.filter((id) => bound.has(id) && rootOf.get(id) === rootInstanceId),
  );
}

async function rootsOf(
  context: OperatonContext,
  instances: readonly { readonly tenant: Tenant; readonly processInstanceId: string }[],
): Promise<string[]> {
  const [first] = instances;
  if (!first) return [];
  const ids = instances.map(({ processInstanceId }) => processInstanceId);
  const roots = await findRoots(context, first.tenant, ids);
  return ids.map((id) => roots.get(id) ?? id);
}
