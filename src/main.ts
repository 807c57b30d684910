/** `bun run server`: the only place for the environment, signals and exit. Wires the parts and listens. */
import { once } from "node:events";
import { createApp } from "./app.ts";
import { type Config, ConfigError, parseConfig } from "./config.ts";
import { connect } from "./database/connect.ts";
import { startEmbeddedPostgres } from "./database/embedded.ts";
import { migrate } from "./database/migrate.ts";
import { createAccessTokens } from "./identity/accessTokens.ts";
import { storedSecret } from "./identity/secrets.ts";
import { createLog } from "./log.ts";
import { listen } from "./server.ts";
import { welcome } from "./welcome.ts";

async function run(config: Config): Promise<void> {
  const log = createLog(config.logLevel);
  const embedded = config.databaseUrl === undefined;
  const database = embedded ? await startEmbeddedPostgres({ dataDir: config.dataDir, log }) : undefined;
  const url = database?.url ?? (config.databaseUrl as string);
  try {
    await migrate(url, { log });
    const sql = connect(url);
    const keys = config.accessTokens ?? {
      kind: "secret" as const,
      secret: await storedSecret(config.dataDir, "jwt"),
    };
    const now = () => new Date();
    const accessTokens = createAccessTokens({
      keys,
      issuer: config.jwtIssuer,
      audience: config.jwtAudience,
      fetch,
      now,
    });
    let draining = false;
    const deps = { config, sql, accessTokens, log, now, draining: () => draining };
    const server = listen(createApp(deps, { checkAnswers: process.env.NODE_ENV === "test" }), config);
    log.info({ address: server.url.href }, "listening");
    if (embedded && !config.accessTokens) await welcome(server.url, accessTokens);

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
  await run(parseConfig(process.env, process.cwd()));
  process.exit(0);
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exit(1);
}
