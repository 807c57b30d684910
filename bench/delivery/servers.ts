/** The servers of the suite: Waybill and the receiver, each a process with a folder of its own. */
import { join } from "node:path";
import { secret } from "../attachments/requests.ts";
import { type ServerProcess, startServer } from "../processes.ts";

const root = join(import.meta.dir, "../..");

export const startReceiver = (): Promise<ServerProcess> =>
  startServer({ script: join(root, "bench/delivery/receiver.ts"), environment: {} });

/** This version of Waybill, or the one whose checkout is in `folder`. */
export function startWaybill(databaseUrl: string, folder = root): Promise<ServerProcess> {
  const environment = {
    DATABASE_URL: databaseUrl,
    ENGINE_URL: "",
    S3_ENDPOINT: "",
    JWT_SECRET: secret,
    DOWNLOAD_TOKEN_SECRET: `${secret} for downloads`,
    PUBLIC_BASE_URL: "https://files.example",
    OUTBOUND_ALLOW: "127.0.0.1",
    LOG_LEVEL: "warn",
  };
  return startServer({ script: join(folder, "src/main.ts"), environment });
}
