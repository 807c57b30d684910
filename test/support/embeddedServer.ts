/**
 * Runs the embedded PostgreSQL in a separate process: `bun embeddedServer.ts <dataDir>`.
 *
 * It prints the URL as one line and waits. When its standard input ends, it stops the database; that also happens when
 * its parent is killed. With `--remove` it then removes the folder. After an error it prints one line and exits with 1.
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
