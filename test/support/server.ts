/** A listening Waybill on a database of its own, used as users use it: through the SDK or plain HTTP. */
import { randomBytes } from "node:crypto";
import { Configuration, TablesApi } from "../../sdk/src/generated/index.ts";
import { createApp } from "../../src/app.ts";
import { parseConfig } from "../../src/config.ts";
import { connect, type Sql } from "../../src/database/connect.ts";
import { migrate } from "../../src/database/migrate.ts";
import type { Deps } from "../../src/deps.ts";
import { createAccessTokens } from "../../src/identity/accessTokens.ts";
import { createLog } from "../../src/log.ts";
import { listen } from "../../src/server.ts";
import { createDatabase, type TestDatabase } from "./database.ts";

export interface TestServer {
  /** `http://127.0.0.1:<port>`, without a slash at the end. */
  readonly url: string;
  readonly database: TestDatabase;
  /** Looks behind the API. */
  readonly sql: Sql;
  /** The log's lines so far, parsed. */
  readonly logged: readonly Record<string, unknown>[];
  /** A signed access token. */
  token(claims?: TokenClaims): Promise<string>;
  /** The SDK's client, signed in as an administrator of tenant 1 unless said otherwise. */
  tables(claims?: TokenClaims): Promise<TablesApi>;
  /** Plain HTTP, signed in as an administrator of tenant 1 unless the headers say otherwise. */
  request(path: string, init?: RequestInit): Promise<Response>;
  stop(): Promise<void>;
}

export interface TokenClaims {
  readonly user?: string;
  readonly tenant?: number;
  readonly slug?: string;
  readonly roles?: readonly string[];
  readonly ttlSeconds?: number;
}

export interface TestServerOptions {
  /** A database to share with another server; a fresh one by default. */
  readonly database?: TestDatabase;
  readonly environment?: Readonly<Record<string, string>>;
  /** The key that servers on one database share, where they must. */
  readonly secret?: string;
  readonly deps?: Partial<Deps>;
}

export async function startServer(options: TestServerOptions = {}): Promise<TestServer> {
  const database = options.database ?? (await createDatabase());
  const logged: Record<string, unknown>[] = [];
  const log = createLog("debug", { write: (line) => void logged.push(JSON.parse(line)) });
  await migrate(database.url, { log });
  const sql = connect(database.url);
  const config = parseConfig({ PORT: "0", ...options.environment }, process.cwd());
  const secret = options.secret ?? randomBytes(32).toString("hex");
  const now = () => new Date();
  const accessTokens = createAccessTokens({ keys: { kind: "secret", secret }, fetch, now });
  const deps = { config, sql, accessTokens, log, now, draining: () => false, ...options.deps };
  const server = listen(createApp(deps, { checkAnswers: true }), config);
  const url = server.url.origin;

  const token = ({
    user = "alice",
    tenant = 1,
    slug,
    roles = ["admin_sop"],
    ttlSeconds = 600,
  }: TokenClaims = {}) =>
    accessTokens.sign(
      { sub: user, tenants: [{ id: tenant, slug: slug ?? `tenant-${tenant}`, roles: [...roles] }] },
      { ttlSeconds },
    );
  return {
    url,
    database,
    sql,
    logged,
    token,
    tables: async (claims) =>
      new TablesApi(new Configuration({ basePath: url, accessToken: await token(claims) })),
    request: async (path, init = {}) => {
      const headers = new Headers(init.headers);
      if (!headers.has("authorization")) headers.set("authorization", `Bearer ${await token()}`);
      if (typeof init.body === "string" && !headers.has("content-type"))
        headers.set("content-type", "application/json");
      return fetch(`${url}${path}`, { ...init, headers });
    },
    stop: async () => {
      await server.stop();
      await sql.end({ timeout: 5 });
      if (!options.database) await database.drop();
    },
  };
}
