/** What every fault gets, and what it reports. */

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
  /** The disk of the third process, which can be filled. Undefined if it could not be mounted. */
  readonly disk: { fill(): Promise<void>; empty(): Promise<void> } | undefined;
  /** Starts so many service tasks at the same time. */
  burst(count: number): Promise<void>;
}

/** A fault that has ended. Times are in milliseconds since the run began. */
export interface FaultRecord {
  readonly kind: string;
  /** The part that it hit. */
  readonly target: string;
  readonly startedAt: number;
  /** When everything worked again. */
  readonly endedAt: number;
  /** What the fault itself noticed, such as an exit code. */
  readonly findings: readonly string[];
}

export interface Fault {
  readonly kind: string;
  /** Causes the fault, ends it, and returns what it hit and what it noticed. */
  run(stage: Stage): Promise<{ readonly target: string; readonly findings?: readonly string[] }>;
}

/** Waits until every process is ready, and the proxy has noticed. */
export async function recovery({ proxy, processes }: Stage): Promise<void> {
  const areUp = async () => {
    const state = await proxy.state();
    return processes.every(({ name }) => state.get(name)?.up);
  };
  for (const { name, ready } of processes) await until(`${name} is ready again`, ready, 60);
  await until("the proxy considers every process ready", areUp, 60);
}
