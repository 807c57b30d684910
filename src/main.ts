/** `bun run server`: the only place for the environment, signals and exit. Wires the parts and listens. */
import { once } from "node:events";
import { createApp } from "./app.ts";
import { type Config, ConfigError, parseConfig } from "./config.ts";
import { connect } from "./database/connect.ts";
import { startEmbeddedPostgres } from "./database/embedded.ts";
import { migrate } from "./database/migrate.ts";
import { createLog } from "./log.ts";
import { listen } from "./server.ts";
import { welcome } from "./welcome.ts";
import { completeConfig, isSelfContained, wire } from "./wire.ts";

async function run(config: Config): Promise<void> {
  const log = createLog(config.logLevel);
  const { databaseUrl, dataDir } = config;
  const database = databaseUrl === undefined ? await startEmbeddedPostgres({ dataDir, log }) : undefined;
  const url = database?.url ?? (databaseUrl as string);
  try {
    await migrate(url, { log });
    const sql = connect(url);
    let draining = false;
    const deps = wire(config, { sql, log, draining: () => draining });
    await deps.storage.prepare();
    const server = listen(createApp(deps, { checkAnswers: process.env.NODE_ENV === "test" }), config);
    log.info({ address: server.url.href }, "listening");
    if (isSelfContained(config)) await welcome(server.url, deps.accessTokens);

    const signal = await Promise.race([once(process, "SIGTERM"), once(process, "SIGINT")]);
    log.info({ signal: signal[0] }, "draining");
    draining = true;
    await server.stop();
    await sql.end({ timeout: 5 });
  } finally {
    await database?.stop();
  }
}

try {
  await run(await completeConfig(parseConfig(process.env, process.cwd())));
  process.exit(0);
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exit(1);
}
