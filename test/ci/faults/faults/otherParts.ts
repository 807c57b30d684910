/** Faults of the object storage, the receiver, and a disk. */
import type { Fault } from "./fault.ts";
import { killed } from "./processes.ts";

export const storageStopped: Fault = {
  kind: "storage away for 6 s",
  run: async ({ storage }) => {
    await storage.stop();
    await Bun.sleep(6_000);
    await storage.start();
    return { target: "S3 server" };
  },
};

export const storagePausedShortly: Fault = {
  kind: "storage paused for 3 s",
  run: async ({ storage }) => {
    storage.pause();
    await Bun.sleep(3_000);
    storage.resume();
    return { target: "S3 server" };
  },
};

/** Longer than Waybill waits. Meanwhile a process is killed during uploads. */
export const storagePausedForLong: Fault = {
  kind: "storage paused for 18 s",
  run: async (stage) => {
    stage.storage.pause();
    await Bun.sleep(12_500);
    const { target } = await killed.run(stage);
    await Bun.sleep(3_000);
    stage.storage.resume();
    return { target: `S3 server, and ${target} killed` };
  },
};

/** Longer than Waybill waits: the storage stores the objects after their uploads were abandoned. */
export const uploadsLate: Fault = {
  kind: "uploads reach the storage late",
  run: async ({ storage }) => {
    storage.delayPuts(16_000);
    await Bun.sleep(3_000);
    storage.delayPuts(0);
    return { target: "S3 server" };
  },
};

export const receiverHangs: Fault = {
  kind: "receiver hangs for 4 s",
  run: async ({ trial }) => {
    trial.receiver.behave("hangs");
    await Bun.sleep(4_000);
    trial.receiver.behave("usual");
    return { target: "receiver" };
  },
};

export const diskFull: Fault = {
  kind: "disk full for 5 s",
  run: async ({ disk }) => {
    await disk?.fill();
    await Bun.sleep(5_000);
    await disk?.empty();
    return { target: "the third process's folder" };
  },
};
