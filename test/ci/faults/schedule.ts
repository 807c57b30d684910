/** Which faults there are, and in which order a seed brings them. */
import { type Fault, type FaultRecord, recovery, type Stage } from "./faults/fault.ts";
import { auditLocked, pausedBeforeSending, tableLocked, tenantCrowds } from "./faults/locks.ts";
import {
  diskFull,
  receiverHangs,
  storagePausedForLong,
  storagePausedShortly,
  storageStopped,
} from "./faults/ofOthers.ts";
import { killed, pausedForLong, pausedShortly, restarted } from "./faults/ofProcesses.ts";
import { databaseKilled, databasePaused, databaseStopped } from "./faults/ofTheDatabase.ts";
import type { Random } from "./random.ts";

const counts: readonly (readonly [Fault, number])[] = [
  [killed, 4],
  [restarted, 3],
  [pausedShortly, 2],
  [pausedForLong, 1],
  [pausedBeforeSending, 1],
  [databaseStopped, 2],
  [databasePaused, 2],
  [databaseKilled, 2],
  [tableLocked, 2],
  [auditLocked, 1],
  [tenantCrowds, 1],
  [storageStopped, 1],
  [storagePausedShortly, 1],
  [storagePausedForLong, 1],
  [receiverHangs, 1],
  [diskFull, 1],
];

/** Every kind; `only` leaves those whose name contains it. */
export function planFaults(random: Random, only = ""): Fault[] {
  const all = counts.flatMap(([fault, count]) => Array<Fault>(count).fill(fault));
  return random.shuffle(all).filter(({ kind }) => kind.includes(only));
}

/** One after the other. Between two everything works, for a second and a half at most. */
export async function* carryOut(faults: readonly Fault[], stage: Stage): AsyncGenerator<FaultRecord> {
  const { trial, random } = stage;
  for (const { kind, run } of faults) {
    await Bun.sleep(500 + random.below(1_000));
    const startedAt = Math.round(trial.now());
    const { target, findings = [] } = await run(stage);
    await recovery(stage);
    yield { kind, target, startedAt, endedAt: Math.round(trial.now()), findings };
  }
}
