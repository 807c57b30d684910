/** Service tasks of two versions in turn: bursts of instances, with the processor time that each server takes for one. */
import { withServer } from "../attachments/servers.ts";
import type { Databases } from "../database.ts";
import { startReceiver, startWaybill } from "../delivery/servers.ts";
import { prepare, type Site } from "../delivery/site.ts";
import { markdownTable, round } from "../markdown.ts";
import { processorTime, type ServerProcess } from "../processes.ts";

const burst = 300;
const rounds = 6;
/** Until what was sent last is stored. */
const settleMs = 500;

interface Version {
  readonly name: "other" | "this";
  readonly waybill: ServerProcess;
  readonly site: Site;
  readonly rates: number[];
  /** Milliseconds of the server for one instance. */
  readonly times: number[];
}

export async function measureDeliveryPaired(
  databases: Databases,
  [other, own]: readonly [string, string],
): Promise<void> {
  await withServer(startReceiver(), async (receiver) => {
    const versions = [
      await startVersion(databases, { name: "other", folder: other, receiver }),
      await startVersion(databases, { name: "this", folder: own, receiver }),
    ];
    for (let round = 0; round < rounds; round++)
      for (const version of round % 2 === 0 ? versions : versions.toReversed()) await runBurst(version);
    print(versions);
    for (const { waybill } of versions) await waybill.stop();
  });
}

async function startVersion(
  databases: Databases,
  {
    name,
    folder,
    receiver,
  }: { readonly name: Version["name"]; readonly folder: string; readonly receiver: ServerProcess },
): Promise<Version> {
  const database = await databases.create(`delivery_${name}`);
  const waybill = await startWaybill(database, folder);
  const site = await prepare(database, { waybills: [waybill], receiver, instances: burst * (rounds + 2) });
  for (const _ of [1, 2]) await site.startBurst(burst);
  return { name, waybill, site, rates: [], times: [] };
}

async function runBurst({ waybill, site, rates, times }: Version): Promise<void> {
  const before = await processorTime(waybill.pid);
  const began = performance.now();
  await site.startBurst(burst);
  rates.push(burst / ((performance.now() - began) / 1000));
  await Bun.sleep(settleMs);
  times.push(((await processorTime(waybill.pid)) - before) / burst);
}

function print(versions: readonly Version[]): void {
  const rows = versions.map(({ name, rates, times }) => [
    name,
    `${round(median(rates), 0)}/s`,
    `${round(median(times))} ms`,
  ]);
  const [other = Number.NaN, own = Number.NaN] = versions.map(({ rates }) => median(rates));
  const [others = Number.NaN, owns = Number.NaN] = versions.map(({ times }) => median(times));
  const ratios = ["this by other", round(own / other), round(owns / others)];
  console.log(
    markdownTable(["version", "service tasks", "server's processor time for one"], [...rows, ratios]),
  );
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
