/** The faults, and the order in which a seed causes them. */

import { databaseKilled, databasePaused, databaseStopped } from "./faults/database.ts";
import { type Fault, type FaultRecord, recovery, type Stage } from "./faults/fault.ts";
import { auditLocked, pausedBeforeSending, tableLocked, tenantCrowds } from "./faults/locks.ts";
import {
  diskFull,
  receiverHangs,
  storagePausedForLong,
  storagePausedShortly,
  storageStopped,
  uploadsLate,
} from "./faults/otherParts.ts";
import { killed, pausedForLong, pausedShortly, restarted } from "./faults/processes.ts";
import type { Random } from "./random.ts";

const kinds: readonly Fault[] = [
  killed,
  restarted,
  pausedShortly,
  pausedForLong,
  pausedBeforeSending,
  databaseStopped,
  databasePaused,
  databaseKilled,
  tableLocked,
  auditLocked,
  tenantCrowds,
  storageStopped,
  storagePausedShortly,
  storagePausedForLong,
  uploadsLate,
  receiverHangs,
  diskFull,
];

/** Short and frequent faults, which are repeated while there is time. */
const more = [killed, killed, killed, restarted, restarted, pausedShortly, databaseStopped, databasePaused];
const evenMore = [databaseKilled, tableLocked, storagePausedShortly, killed, restarted, databaseKilled];

/** Every kind once, then some of them again. `only` selects those whose name contains it. */
export function planFaults(random: Random, only = ""): Fault[] {
  const all = [...random.shuffle(kinds), ...random.shuffle([...more, ...evenMore])];
  return all.filter(({ kind }) => kind.includes(only));
}

/** After this time only kinds that have not been tried begin. Milliseconds since the run began. */
const enoughMs = 205_000;

/** Causes one fault after the other. Between two of them everything works, for at most a second. */
export async function* carryOut(faults: readonly Fault[], stage: Stage): AsyncGenerator<FaultRecord> {
  const { trial, random } = stage;
  const tried = new Set<string>();
  for (const { kind, run } of faults) {
    if (tried.has(kind) && trial.now() > enoughMs) continue;
    tried.add(kind);
    await Bun.sleep(200 + random.below(800));
    const startedAt = Math.round(trial.now());
    const { target, findings = [] } = await run(stage);
    await recovery(stage);
    yield { kind, target, startedAt, endedAt: Math.round(trial.now()), findings };
  }
}
