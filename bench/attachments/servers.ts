/** The servers of the suite: Waybill and the bare one, each a process with a folder of its own. */
import { join } from "node:path";
import { type ServerProcess, startServer } from "../processes.ts";
import { secret } from "./requests.ts";

const root = join(import.meta.dir, "../..");

/** Objects are files in the server's folder, or lie where the S3 variables of this process say. */
export type StorageKind = "filesystem" | "S3";

const variablesOf = (storage: StorageKind) => ({
  JWT_SECRET: secret,
  DATABASE_URL: "",
  ...(storage === "S3" ? {} : { S3_ENDPOINT: "" }),
});

export const startBaseline = (storage: StorageKind): Promise<ServerProcess> =>
  startServer({ script: join(root, "bench/attachments/baseline.ts"), environment: variablesOf(storage) });

export function startWaybill(storage: StorageKind, databaseUrl: string): Promise<ServerProcess> {
  const environment = {
    ...variablesOf(storage),
    DATABASE_URL: databaseUrl,
    PUBLIC_BASE_URL: "https://files.example",
    DOWNLOAD_TOKEN_SECRET: `${secret} for downloads`,
  };
  return startServer({ script: join(root, "src/main.ts"), environment });
}

/** Runs `use` with a server that is stopped afterwards, whatever happens. */
export async function withServer<T>(
  starting: Promise<ServerProcess>,
  use: (server: ServerProcess) => Promise<T>,
): Promise<T> {
  const server = await starting;
  try {
    return await use(server);
  } finally {
    await server.stop();
  }
}
