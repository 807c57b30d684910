/** Members who start instances and complete their tasks. */
import { again, pause, slugOf, type Trial, times } from "../trial.ts";
import { type FileRecord, upload } from "./files.ts";

export interface Processes {
  /** The ids of instances whose start was acknowledged. */
  readonly started: readonly string[];
  /** The ids of tasks whose completion was acknowledged. */
  readonly completed: readonly string[];
  /** Files that were uploaded for an instance. */
  readonly files: readonly FileRecord[];
  /** Starts so many payments at the same time. */
  burst(count: number): Promise<void>;
  readonly loops: readonly Promise<void>[];
}

export function runProcesses(trial: Trial): Processes {
  const started: string[] = [];
  const completed: string[] = [];
  const files: FileRecord[] = [];

  interface Beginning {
    readonly by?: string;
    readonly variables?: object;
  }

  async function begin(
    tenant: number,
    key: string,
    { by, variables = {} }: Beginning = {},
  ): Promise<boolean> {
    const answer = await trial.send({
      operation: "startProcessInstance",
      ...(await member(trial, tenant, by)),
      to: "POST /api/v1/probis/process-instances",
      body: { process_key: key, variables: { amount: { value: 7 }, ...variables } },
    });
    if (answer.outcome !== "acknowledged") return false;
    started.push(answer.json<{ process_instance_id: string }>().process_instance_id);
    return true;
  }

  const starter = (tenant: number, key: string, everyMs: number) =>
    again(trial.going, async () => {
      await begin(tenant, key);
      await pause(everyMs);
    });

  async function filer(tenant: number, name: string): Promise<void> {
    for (let number = 1; trial.going(); number++) {
      const file = await upload(trial, { tenant, uploader: `${name}-${number}` });
      if (file) {
        const metadata = JSON.stringify({ attachment_id: file.id, file_name: file.fileName });
        const bound = await begin(tenant, "filing", {
          by: file.uploader,
          variables: { card: { value: metadata } },
        });
        files.push({ ...file, fate: bound ? "committed" : "unknown" });
      }
      await pause(600);
    }
  }

  const completer = (tenant: number) =>
    again(
      () => trial.going() || trial.finishing(),
      async () => {
        completed.push(...(await completeTasks(trial, tenant)));
        await pause(800);
      },
    );

  const loops = trial.tenants.flatMap((tenant) => [
    ...times(2, () => starter(tenant, "payment", 300)),
    starter(tenant, "approval", 700),
    starter(tenant, "reminder", 1_000),
    filer(tenant, `filer-${tenant}`),
    completer(tenant),
  ]);
  const burst = async (count: number) => {
    const [tenant = 1] = trial.tenants;
    await Promise.all(times(count, () => begin(tenant, "payment")));
  };
  return { started, completed, files, burst, loops };
}

async function member(trial: Trial, tenant: number, user = "mary") {
  const token = await trial.token({ tenant, user, role: "member" });
  return { tenant, token, headers: { "x-active-tenant": slugOf(tenant) } };
}

/** Completes open tasks. Another client, or a completion whose answer was lost, may have been first. */
async function completeTasks(trial: Trial, tenant: number): Promise<string[]> {
  const who = await member(trial, tenant);
  const list = await trial.send({
    operation: "listTasks",
    ...who,
    to: "GET /api/v1/tasklist/tasks?limit=20",
  });
  if (list.outcome !== "acknowledged") return [];
  const completed: string[] = [];
  for (const { task_id } of list.json<{ task_id: string }[]>()) {
    const answer = await trial.send({
      operation: "completeTask",
      ...who,
      to: `POST /api/v1/tasklist/tasks/${task_id}/complete`,
      body: { variables: { approved: { value: true } } },
      deserves: ["task_completed"],
    });
    if (answer.outcome === "acknowledged") completed.push(task_id);
  }
  return completed;
}
