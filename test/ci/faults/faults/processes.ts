/** Faults of a Waybill process: killed, restarted, paused. */
import type { Waybill } from "../parts/waybill.ts";
import { type Fault, recovery, type Stage } from "./fault.ts";

/** Kills a process and starts it again, even while another fault lasts. */
const kill = async ({ processes, random }: Stage) => {
  const victim = random.pick(processes);
  await victim.kill();
  await Bun.sleep(300 + random.below(1_000));
  victim.launch();
  return { target: victim.name };
};

export const killed: Fault = { kind: "process killed", run: kill };

/** No other fault happens meanwhile, so everything that a client notices comes from the restart. */
export const restarted: Fault = {
  kind: "process restarted",
  run: async (stage) => {
    await recovery(stage);
    await Bun.sleep(1_500);
    const victim = stage.random.pick(stage.processes);
    const { code, ms } = await victim.terminate();
    const findings = code === 0 ? [] : [`${victim.name} ended with ${code} after ${Math.round(ms)} ms`];
    await victim.start();
    await recovery(stage);
    return { target: victim.name, findings };
  },
};

async function paused(victim: Waybill, ms: number): Promise<void> {
  victim.pause();
  await Bun.sleep(ms);
  victim.resume();
}

export const pausedShortly: Fault = {
  kind: "process paused for 3 s",
  run: async ({ processes, random }) => {
    const victim = random.pick(processes);
    await paused(victim, 3_000);
    return { target: victim.name };
  },
};

/** Long enough for the others to consider it dead. Another process is killed meanwhile. */
export const pausedForLong: Fault = {
  kind: "process paused for 20 s",
  run: async (stage) => {
    const [victim, other] = stage.random.shuffle(stage.processes);
    if (!victim || !other) throw new Error("two processes are needed");
    const others = { ...stage, processes: [other] };
    const meanwhile = Bun.sleep(4_000 + stage.random.below(4_000)).then(() => kill(others));
    await Promise.all([paused(victim, 20_000), meanwhile]);
    return { target: `${victim.name}, and ${other.name} killed` };
  },
};
