/** What every kind of fault has to work with, and leaves behind. */

import { until } from "../parts/children.ts";
import type { Postgres } from "../parts/postgres.ts";
import type { ProxyServer } from "../parts/proxy.ts";
import type { ObjectStorage } from "../parts/storage.ts";
import type { Waybill } from "../parts/waybill.ts";
import type { Random } from "../random.ts";
import type { Trial } from "../trial.ts";

export interface Stage {
  readonly trial: Trial;
  readonly random: Random;
  readonly postgres: Postgres;
  readonly storage: ObjectStorage;
  readonly proxy: ProxyServer;
  readonly processes: readonly Waybill[];
  /** The one whose folder is on a disk that can be filled; undefined where none could be mounted. */
  readonly disk: { fill(): Promise<void>; empty(): Promise<void> } | undefined;
  /** Begins so many service tasks at once. */
  burst(count: number): Promise<void>;
}

/** A fault as it was. Times are in milliseconds since the run began. */
export interface FaultRecord {
  readonly kind: string;
  /** What it hit. */
  readonly target: string;
  readonly startedAt: number;
  /** When everything was as before. */
  readonly endedAt: number;
  /** What it found out itself, such as an exit code. */
  readonly findings: readonly string[];
}

export interface Fault {
  readonly kind: string;
  /** Does it, mends it, and answers what it hit and what it found. */
  run(stage: Stage): Promise<{ readonly target: string; readonly findings?: readonly string[] }>;
}

/** Waits until every process is ready, and the proxy has noticed. */
export async function recovery({ proxy, processes }: Stage): Promise<void> {
  const areUp = async () => {
    const state = await proxy.state();
    return processes.every(({ name }) => state.get(name)?.up);
  };
  for (const { name, ready } of processes) await until(`${name} is ready again`, ready, 60);
  await until("the proxy takes every process for ready", areUp, 60);
}
