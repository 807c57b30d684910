/**
 * A trial of faults (docs/trials.md). Three Waybill processes run behind HAProxy, with one PostgreSQL, one S3 server
 * and clients of every kind. A schedule kills, pauses and stops one part after the other. At the end, checks look for
 * everything that was acknowledged, and for everything that must not have happened.
 *
 *   FAULTS_S3_SERVER=… bun test/ci/faults/main.ts
 *
 * FAULTS_SEED repeats a schedule. FAULTS_ONLY selects the faults whose names contain it. FAULTS_KEEP=1 keeps the folder
 * with all logs and the history. The last line is `N passed, N failed`; the exit code is 1 if a rule is broken.
 */
import { join } from "node:path";
import { repository, startWaybill } from "../../support/waybillProcess.ts";
import { checkAnswers } from "./checks/answers.ts";
import type { Check } from "./checks/check.ts";
import { checkFiles, checkStorage } from "./checks/files.ts";
import { checkProcesses } from "./checks/processes.ts";
import { checkRemains } from "./checks/remains.ts";
import { checkRows } from "./checks/rows.ts";
import { checkTrails } from "./checks/trails.ts";
import { type Clients, startClients } from "./clients/clients.ts";
import { downloadTwice, type Link } from "./clients/downloads.ts";
import type { FaultRecord } from "./faults/fault.ts";
import { createHistory, type History } from "./history.ts";
import { createSend, type Send } from "./http.ts";
import { until } from "./parts/children.ts";
import { type Parts, startParts } from "./parts/parts.ts";
import { createRandom } from "./random.ts";
import { printCheck, printCounts, printFault } from "./report.ts";
import { carryOut, planFaults } from "./schedule.ts";
import { setUp } from "./setUp.ts";
import { createTokens, type Trial } from "./trial.ts";

const { FAULTS_SEED, FAULTS_S3_SERVER, FAULTS_ONLY, FAULTS_KEEP } = process.env;
const settleSeconds = 60;

const seed = Number(FAULTS_SEED || Math.floor(Math.random() * 1_000_000));
const now = () => performance.now();
let phase: "setting up" | "going" | "finishing" | "over" = "setting up";

async function run(): Promise<boolean> {
  if (!FAULTS_S3_SERVER)
    throw new Error("FAULTS_S3_SERVER is missing: set it to the path of the versitygw program");
  console.log(`Seed ${seed}. FAULTS_SEED=${seed} repeats this schedule.`);
  const sentLinks: Link[] = [];
  let send: Send | undefined;
  const onUrl = async (url: string) => {
    if (send) sentLinks.push(await downloadTwice({ send }, url, 0));
  };
  const parts = await startParts({ s3Program: FAULTS_S3_SERVER, keep: FAULTS_KEEP === "1", now, onUrl });
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.on(signal, () => void parts.end().finally(() => process.exit(2)));
  try {
    const history = createHistory(join(parts.folder, "history.jsonl"));
    send = createSend(parts.proxy.url, history, now);
    const trial: Trial = {
      send,
      now,
      going: () => phase === "going",
      finishing: () => phase === "finishing",
      tenants: [1, 2],
      token: createTokens(parts.jwtSecret),
      receiver: parts.receiver,
    };
    return await tryFaults(trial, { parts, history, sentLinks });
  } finally {
    await parts.end();
    if (FAULTS_KEEP === "1") console.log(`Logs and history: ${parts.folder}`);
  }
}

interface Setting {
  readonly parts: Parts;
  readonly history: History;
  readonly sentLinks: readonly Link[];
}

async function tryFaults(trial: Trial, { parts, history, sentLinks }: Setting): Promise<boolean> {
  if (!parts.disk)
    console.log("NOT TRIED: a full disk, because this machine does not allow to mount a file system");
  const embeds = await setUp(trial);
  phase = "going";
  const clients = startClients(trial, embeds, sentLinks);
  const faults: FaultRecord[] = [];
  const random = createRandom(seed);
  const plan = planFaults(random, FAULTS_ONLY).filter(({ kind }) => parts.disk || !kind.startsWith("disk"));
  const stage = { ...parts, trial, random, burst: clients.processes.burst };
  const failing = clients.stopped.then(() => {});
  const all = (async () => {
    for await (const fault of carryOut(plan, stage)) {
      printFault(fault);
      faults.push(fault);
    }
  })();
  await Promise.race([all, failing]);
  await all;
  await settle(parts, clients);
  const checks = await checkAll(trial, { parts, history, clients, faults });
  console.log("");
  for (const check of checks) printCheck(check);
  console.log("");
  printCounts({ clients, history, receiver: parts.receiver, faults });
  await history.close();
  const failed = checks.filter(({ breaches }) => breaches.length > 0).length;
  console.log(`\n${checks.length - failed} passed, ${failed} failed`);
  return failed === 0;
}

/** Starts nothing new. What has begun may end, with the help of operators and members. */
async function settle({ postgres, storage }: Parts, clients: Clients): Promise<void> {
  phase = "finishing";
  const active = async () => {
    const [row] = await postgres.sql<{ count: number }[]>`
      select count(*)::int as count from waybill.process_instances where state = 'active'`;
    return row?.count === 0;
  };
  await until("every instance has ended", active, settleSeconds).catch((error) => console.log(error.message));
  await until("every delayed upload has arrived", () => storage.delayed() === 0, settleSeconds);
  phase = "over";
  await clients.stopped;
}

interface Ended {
  readonly parts: Parts;
  readonly history: History;
  readonly clients: Clients;
  readonly faults: readonly FaultRecord[];
}

async function checkAll(trial: Trial, { parts, history, clients, faults }: Ended): Promise<Check[]> {
  const { postgres, storage, receiver, processes } = parts;
  const { sql } = postgres;
  // The requests of the checks are not part of the trial.
  const entries = [...history.entries];
  const { ledger, notes, files, visitors, operators, sentLinks } = clients;
  return [
    ...(await checkAnswers(entries, faults)),
    ...(await checkRows(trial, sql, { ledger, notes: notes.notes, entries })),
    ...(await checkFiles(trial, {
      files: [...files.files, ...clients.processes.files],
      links: files.links,
      sentLinks,
    })),
    ...(await checkProcesses(sql, {
      processes: clients.processes,
      visits: visitors.visits,
      received: receiver.received,
      incidents: operators.incidents,
      faults,
    })),
    await checkStorage({ storage, sql, reconcile: () => runCommand(parts, "reconcile") }),
    await checkTrails(() => runCommand(parts, "audit", "verify")),
    ...(await checkRemains(processes, sql)),
  ];
}

/** Runs the command as an operator does, while the processes run. */
async function runCommand({ environment, folder }: Parts, name: string, ...parameters: string[]) {
  const command = startWaybill({
    cwd: folder,
    environment: { ...environment, DATA_DIR: join(folder, name) },
    command: [join(repository, `src/commands/${name}.ts`), ...parameters],
  });
  const code = await command.exited;
  return { code, output: command.stdout() + command.stderr() };
}

process.exit((await run()) ? 0 : 1);
