/** The parts of a trial: one database, one storage, three Waybill processes, a proxy and a receiver. */
import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { draftMaxAgeHours } from "../clients/files.ts";
import { freePort } from "./children.ts";
import { type Disk, mountDisk } from "./disk.ts";
import { type Postgres, startPostgres } from "./postgres.ts";
import { type ProxyServer, startProxy } from "./proxy.ts";
import { type Receiver, type ReceiverOptions, startReceiver } from "./receiver.ts";
import { type ObjectStorage, startStorage } from "./storage.ts";
import { prepareWaybill, type Waybill } from "./waybill.ts";

export interface Parts {
  readonly folder: string;
  readonly jwtSecret: string;
  readonly postgres: Postgres;
  readonly storage: ObjectStorage;
  readonly receiver: Receiver;
  readonly processes: readonly Waybill[];
  readonly proxy: ProxyServer;
  /** The disk of the third process. */
  readonly disk: Disk | undefined;
  /** The configuration of each Waybill process. */
  readonly environment: Readonly<Record<string, string>>;
  end(): Promise<void>;
}

export interface PartsOptions extends ReceiverOptions {
  /** The path of the versitygw program. */
  readonly s3Program: string;
  /** Whether to keep the folder with its logs and the history. */
  readonly keep: boolean;
}

export async function startParts(options: PartsOptions): Promise<Parts> {
  const folder = await mkdtemp(join(tmpdir(), "waybill-faults-"));
  // PostgreSQL does not run as root and has its folder below this one.
  await chmod(folder, 0o711);
  const ends: (() => Promise<unknown>)[] = [];
  const end = async () => {
    for (const stop of ends.splice(0).reverse()) await stop();
    if (!options.keep) await rm(folder, { recursive: true, force: true });
  };
  try {
    return { ...(await start(folder, options, (stop) => ends.push(stop))), folder, end };
  } catch (error) {
    await end();
    throw error;
  }
}

type Started = Omit<Parts, "folder" | "end">;

/** Passes the function that ends a part to `ending`, in the order in which the parts start. */
async function start(
  folder: string,
  { s3Program, now, onUrl }: PartsOptions,
  ending: (stop: () => Promise<unknown>) => void,
): Promise<Started> {
  const postgres = await startPostgres(folder);
  ending(postgres.end);
  const storage = await startStorage(folder, s3Program);
  ending(storage.end);
  const receiver = await startReceiver({ now, onUrl });
  ending(receiver.stop);
  const [gateway, jwtSecret] = [freePort(), secret()];
  const environment = {
    ...storage.environment,
    ...environmentFor({ gateway, receiver: receiver.port }),
    DATABASE_URL: postgres.url,
    JWT_SECRET: jwtSecret,
  };
  const names = ["first", "second", "third"];
  const processes = await Promise.all(names.map((name) => prepareWaybill({ name, folder, environment })));
  const disk = await mountDisk(processes[2]?.dataDir ?? "");
  if (disk) ending(disk.unmount);
  ending(() => Promise.all(processes.map((process) => process.kill())));
  await Promise.all(processes.map((process) => process.start()));
  const proxy = await startProxy(folder, processes, gateway);
  ending(proxy.stop);
  return { jwtSecret, postgres, storage, receiver, processes, proxy, disk, environment };
}

const secret = () => randomBytes(32).toString("base64url");

const environmentFor = ({ gateway, receiver }: { readonly gateway: number; readonly receiver: number }) => ({
  PUBLIC_BASE_URL: `http://127.0.0.1:${gateway}`,
  DOWNLOAD_TOKEN_SECRET: secret(),
  FORM_TOKEN_SECRET: secret(),
  TRUSTED_PROXIES: "127.0.0.1/32",
  OUTBOUND_ALLOW: `127.0.0.1:${receiver}`,
  // Longer than the proxy needs to notice.
  SHUTDOWN_GRACE_SECONDS: "3",
  DRAFT_MAX_AGE_HOURS: String(draftMaxAgeHours),
  DRAFT_SWEEP_INTERVAL_SECONDS: "5",
});
