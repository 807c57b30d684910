/**
 * A process of its own that runs the embedded PostgreSQL: `bun embeddedServer.ts <dataDir>`.
 *
 * It writes the URL as one line, then idles. It stops the database when its standard input ends, which also happens
 * when whoever started it is killed, and with `--remove` takes the folder with it. An error is one line and code 1.
 */
import { rm } from "node:fs/promises";
import pino from "pino";
import { startEmbeddedPostgres } from "../../src/infrastructure/database/embedded.ts";

const [dataDir = "", option] = process.argv.slice(2);

try {
  const log = pino({ level: "silent" });
  const database = await startEmbeddedPostgres({ dataDir, log });
  console.log(database.url);
  await new Response(Bun.stdin.stream()).text();
  await database.stop();
  if (option === "--remove") await rm(dataDir, { recursive: true, force: true });
} catch (error) {
  console.error(String(error));
  process.exit(1);
}
