/**
 * Service tasks of a remote engine, with the engine itself on the other side: models are deployed and instances started
 * as other clients of the engine do it. Any number of workers, as of as many Waybill processes, share one database.
 */
import { randomBytes } from "node:crypto";
import { createCaches } from "../../../src/infrastructure/caches.ts";
import { startJobs } from "../../../src/infrastructure/jobs/jobs.ts";
import { createLog } from "../../../src/infrastructure/log.ts";
import type { OperatonContext } from "../../../src/processes/engines/operaton/operatonContext.ts";
import { createEngineRest } from "../../../src/processes/engines/operaton/rest.ts";
import { createServiceTaskDriver } from "../../../src/processes/engines/operaton/serviceTasks/serviceTaskDriver.ts";
import { createOutcomes } from "../../../src/processes/serviceTaskOutcomes.ts";
import type { ServiceTasks } from "../../../src/processes/serviceTasks.ts";
import { carryOut } from "../../../src/processes/serviceTaskWorker.ts";
import { type Answer, type Partner, startPartner } from "../../infrastructure/outbound/partner.ts";
import { allowLoopback } from "../../support/processes.ts";
import { startServer, type TestServer, type TokenClaims } from "../../support/server.ts";
import { until } from "../../support/until.ts";

function engineUrl(): string {
  const url = process.env.WAYBILL_TEST_ENGINE_URL;
  if (!url) throw new Error("These tests need an engine: set WAYBILL_TEST_ENGINE_URL.");
  return url.replace(/\/$/, "");
}

export interface EngineIncident {
  readonly id: string;
  readonly configuration: string;
  readonly incidentMessage: string;
  readonly activityId: string;
  readonly processInstanceId: string;
}

export interface TestWorker {
  readonly tasks: ServiceTasks;
  readonly context: OperatonContext;
  readonly logged: readonly Record<string, unknown>[];
  stop(): Promise<void>;
}

/** Lines of the log that an operator sees as trouble. */
export const warnings = ({ logged }: Pick<TestWorker, "logged">) =>
  logged.filter(({ level }) => ["warn", "error", "fatal"].includes(String(level)));

export interface WorkerOptions {
  /** Of the engine, or of a proxy in front of it. */
  readonly url?: string;
}

export type Variables = Readonly<
  Record<string, { readonly value: unknown; readonly type: string; valueInfo?: object }>
>;

export interface Remote {
  readonly url: string;
  readonly server: TestServer;
  readonly slug: string;
  /** A member of the tenant. */
  readonly member: TokenClaims;
  readonly partner: Partner;
  /** Where the partner's requests go: add a path. */
  readonly partnerUrl: string;
  /** What the partner does. */
  answer: Answer;
  /** Calls the engine. Throws if it answers with an error. */
  ask<T = unknown>(method: string, path: string, body?: unknown): Promise<T>;
  deploy(bpmn: string): Promise<void>;
  start(processKey: string, variables?: Variables): Promise<string>;
  /** Sets a variable of the instance, as an operator does. */
  set(processInstanceId: string, variables: Variables): Promise<void>;
  work(options?: WorkerOptions): Promise<TestWorker>;
  isEnded(processInstanceId: string): Promise<boolean>;
  variable(processInstanceId: string, name: string): Promise<{ type: string; value: unknown } | undefined>;
  incidents(processInstanceId: string): Promise<EngineIncident[]>;
  /** The one incident, once there is one, with Waybill's row. */
  incident(processInstanceId: string): Promise<EngineIncident & { readonly row: Row }>;
  /** Has the task of an incident run again, as the engine's own tools do. */
  rerun(incident: EngineIncident): Promise<void>;
  /** The Idempotency-Keys of the requests that this path has received. */
  keys(path: string): string[];
  stop(): Promise<void>;
}

export interface Row {
  readonly state: string;
  readonly attempt: number;
  readonly type: string | null;
  readonly message: string | null;
  readonly sent: string | null;
}

export async function startRemote(): Promise<Remote> {
  const server = await startServer({ environment: allowLoopback, workers: false });
  const slug = `worker-${randomBytes(5).toString("hex")}`;
  await server.sql`insert into waybill.tenants (id, slug) values (1, ${slug})`;
  const member = { user: "alice", tenant: 1, slug, roles: ["admin_sop"] } as const;
  const workers = new Set<TestWorker>();
  const url = engineUrl();
  const remote = {
    url,
    server,
    slug,
    member,
    answer: ((_, response) => void response.end()) as Answer,
    ...engineSteps(url, slug),
    work: async (options = {}) => {
      const worker = await startWorker(server, { url, ...options });
      workers.add(worker);
      return { ...worker, stop: () => (workers.delete(worker) ? worker.stop() : Promise.resolve()) };
    },
  } as unknown as Remote;
  const partner = await startPartner((...exchange) => remote.answer(...exchange));
  return Object.assign(remote, {
    partner,
    partnerUrl: `http://127.0.0.1:${partner.port}`,
    incident: async (id: string) => {
      await until(async () => (await remote.incidents(id)).length > 0, 40);
      const [incident, ...others] = await remote.incidents(id);
      if (!incident || others.length > 0) throw new Error(`${id} has ${others.length + 1} incidents`);
      return { ...incident, row: await rowOf(server, incident.configuration) };
    },
    keys: (path: string) =>
      partner.received
        .filter((request) => request.url === path)
        .map(({ headers }) => headers.find(([name]) => name === "idempotency-key")?.[1] ?? ""),
    stop: async () => {
      await Promise.all([...workers].map((worker) => worker.stop()));
      await partner.stop();
      await server.stop();
    },
  });
}

export async function rowOf(server: TestServer, id: string): Promise<Row> {
  const [row] = await server.sql<Row[]>`
    select state, attempt, incident_type as type, incident_message as message, request_sent as sent
    from waybill.external_tasks
    where id = ${id}`;
  if (!row) throw new Error(`the task ${id} has no row`);
  return { ...row };
}

function engineSteps(url: string, slug: string) {
  async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    const init = body instanceof FormData ? { body } : json(body);
    const answer = await fetch(url + path, { method, ...init });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return (text === "" ? undefined : JSON.parse(text)) as T;
  }
  const history = (id: string) => ask<{ state: string }>("GET", `/history/process-instance/${id}`);
  return {
    ask,
    deploy: async (bpmn: string) => {
      const form = new FormData();
      form.set("tenant-id", slug);
      form.set("deployment-name", "worker");
      const living = bpmn.replace(/<process /g, '<process camunda:historyTimeToLive="1" ');
      form.set("model", new File([living], "model.bpmn"));
      await ask("POST", "/deployment/create", form);
    },
    start: async (processKey: string, variables: Variables = {}) => {
      const path = `/process-definition/key/${processKey}/tenant-id/${slug}/start`;
      return (await ask<{ id: string }>("POST", path, { variables })).id;
    },
    set: (id: string, modifications: Variables) =>
      ask<void>("POST", `/process-instance/${id}/variables`, { modifications }),
    isEnded: async (id: string) => (await history(id)).state === "COMPLETED",
    variable: async (id: string, name: string) => {
      const query = `processInstanceId=${id}&variableName=${name}&deserializeValues=false`;
      return (await ask<{ type: string; value: unknown }[]>("GET", `/history/variable-instance?${query}`))[0];
    },
    incidents: (id: string) => ask<EngineIncident[]>("GET", `/incident?processInstanceId=${id}`),
    rerun: ({ configuration }: EngineIncident) =>
      ask<void>("PUT", `/external-task/${configuration}/retries`, { retries: 1 }),
  };
}

const json = (body: unknown) =>
  body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };

async function startWorker({ deps }: TestServer, { url }: { readonly url: string }): Promise<TestWorker> {
  const logged: Record<string, unknown>[] = [];
  const log = createLog("debug", { write: (line) => void logged.push(JSON.parse(line)) });
  const engine = { url, authorization: undefined, timeoutMs: 20_000 };
  const config = { ...deps.config, engine };
  const context = { ...deps, config, log, caches: createCaches(), rest: createEngineRest(engine) };
  const jobs = await startJobs(deps.sql, { log });
  const { serviceTasks: tasks, work } = createServiceTaskDriver(context);
  const outcomes = createOutcomes({ folder: `${deps.config.dataDir}/outcomes`, sealing: undefined, log });
  await work((task, hold) => carryOut(task, { ...deps, log, tasks, hold, outcomes }), jobs);
  return { tasks, context, logged, stop: () => jobs.stop() };
}
