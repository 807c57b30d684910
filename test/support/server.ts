/** A listening Waybill with its own database. Tests use it as users do: through the SDK or plain HTTP. */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  AttachmentsApi,
  AuditApi,
  Configuration,
  DiscussionsApi,
  EngineApi,
  FormSessionsApi,
  IncidentsApi,
  IntegrationApi,
  ProcessesApi,
  PublicAttachmentsApi,
  ReportsApi,
  TablesApi,
  TasklistApi,
  TokensApi,
} from "../../sdk/src/generated/index.ts";
import { createApp } from "../../src/app.ts";
import type { Deps } from "../../src/deps.ts";
import { parseConfig } from "../../src/infrastructure/config.ts";
import { connectServer, type Sql } from "../../src/infrastructure/database/connect.ts";
import { migrate } from "../../src/infrastructure/database/migrate.ts";
import { startJobs } from "../../src/infrastructure/jobs/jobs.ts";
import { createLog } from "../../src/infrastructure/log.ts";
import type { Pressure } from "../../src/infrastructure/pressure.ts";
import { createWorkers } from "../../src/infrastructure/workers/workers.ts";
import { startEngine } from "../../src/processes/startEngine.ts";
import { listen } from "../../src/server.ts";
import { completeConfig, wire } from "../../src/wire.ts";
import { createMigratedDatabase, type TestDatabase } from "./database.ts";

export interface TestServer {
  /** `http://127.0.0.1:<port>`, without a slash at the end. */
  readonly url: string;
  readonly database: TestDatabase;
  /** For what the API does not show. */
  readonly sql: Sql;
  /** The log's lines so far, parsed. */
  readonly logged: readonly Record<string, unknown>[];
  /** A signed access token. */
  token(claims?: TokenClaims): Promise<string>;
  /** The SDK's client, signed in as an administrator of tenant 1 unless said otherwise. */
  tables(claims?: TokenClaims): Promise<TablesApi>;
  attachments(claims?: TokenClaims): Promise<AttachmentsApi>;
  formSessions(claims?: TokenClaims): Promise<FormSessionsApi>;
  discussions(claims?: TokenClaims): Promise<DiscussionsApi>;
  processes(claims?: TokenClaims): Promise<ProcessesApi>;
  incidents(claims?: TokenClaims): Promise<IncidentsApi>;
  tasklist(claims?: TokenClaims): Promise<TasklistApi>;
  reports(claims?: TokenClaims): Promise<ReportsApi>;
  integration(claims?: TokenClaims): Promise<IntegrationApi>;
  tokens(claims?: TokenClaims): Promise<TokensApi>;
  audit(claims?: TokenClaims): Promise<AuditApi>;
  /** Signed in as a process engine's service account of tenant 1 unless said otherwise. */
  engine(claims?: TokenClaims): Promise<EngineApi>;
  /** A visitor of an embedded form, with this form session token. */
  visitor(formToken: string): PublicAttachmentsApi;
  /** What the server itself works with. */
  readonly deps: Deps;
  /** Plain HTTP, signed in as an administrator of tenant 1 unless the headers say otherwise. */
  request(path: string, init?: RequestInit): Promise<Response>;
  stop(): Promise<void>;
}

export interface TokenClaims {
  readonly user?: string;
  readonly tenant?: number;
  readonly slug?: string;
  readonly roles?: readonly string[];
  /** The user's groups in the tenant. */
  readonly groups?: readonly string[];
  readonly ttlSeconds?: number;
}

export interface TestServerOptions {
  /** A database to share with another server; a fresh one by default. */
  readonly database?: TestDatabase;
  readonly environment?: Readonly<Record<string, string>>;
  /** Servers that share a database share this key. Random by default. */
  readonly secret?: string;
  readonly deps?: Partial<Deps>;
  readonly bodyTimeoutMs?: number;
  readonly bodyStallMs?: number;
  readonly readerStallMs?: number;
  /** Without it, the server never refuses work because of pressure, however busy the machine is. */
  readonly pressure?: Pressure;
  /** Whether it carries out service tasks and fires timers. True by default. */
  readonly workers?: boolean;
}

/** A server's secrets. Servers that share `secret` get the same ones. */
export const secretsFrom = (secret: string) => ({
  JWT_SECRET: secret,
  DOWNLOAD_TOKEN_SECRET: `${secret} for downloads`,
  FORM_TOKEN_SECRET: `${secret} for form sessions`,
  // It is a list of keys, separated by commas.
  SECRETS_KEY: `${secret} for secrets of tenants`.replaceAll(",", ";"),
});

/** One pool for all servers of a test run: its threads load their modules once. */
const workers = createWorkers({ threads: 2 });

export async function startServer(options: TestServerOptions = {}): Promise<TestServer> {
  const database = options.database ?? (await createMigratedDatabase());
  const logged: Record<string, unknown>[] = [];
  const log = createLog("debug", { write: (line) => void logged.push(JSON.parse(line)) });
  if (options.database) await migrate(database.url, { log });
  const dataDir = await mkdtemp(join(tmpdir(), "waybill-data-"));
  const secret = options.secret ?? randomBytes(32).toString("hex");
  const secrets = secretsFrom(secret);
  const s3 = Object.entries(process.env).filter(([name]) => name.startsWith("S3_"));
  const environment: Record<string, string | undefined> = {
    ...Object.fromEntries(s3),
    PORT: "0",
    DATA_DIR: dataDir,
    ...secrets,
    ...options.environment,
  };
  const config = { ...(await completeConfig(parseConfig(environment, process.cwd()))) };
  const { sql, control } = connectServer(database.url, config.databasePoolSize);
  const parts = { ...wire(config, { sql, control, log, workers }), ...options.deps };
  const { accessTokens } = parts;
  await parts.storage.prepare();
  const jobs = await startJobs(sql, { log, control });
  const engine = await startEngine(parts, jobs, { workers: options.workers ?? true });
  const deps = { ...parts, engine, ...options.deps };
  const { bodyTimeoutMs, bodyStallMs, readerStallMs, pressure } = options;
  const server = listen(
    createApp(deps, { checkAnswers: true, bodyTimeoutMs, bodyStallMs, readerStallMs, pressure }),
    config,
  );
  const url = server.url.origin;
  // Known only now, since the system chose the port.
  if (environment.PUBLIC_BASE_URL === undefined) config.publicBaseUrl = url;

  const token = ({
    user = "alice",
    tenant = 1,
    slug,
    roles = ["admin_sop"],
    groups,
    ttlSeconds = 600,
  }: TokenClaims = {}) => {
    const membership = { id: tenant, slug: slug ?? `tenant-${tenant}`, roles: [...roles] };
    const tenants = [groups === undefined ? membership : { ...membership, groups: [...groups] }];
    return accessTokens.sign({ sub: user, tenants }, { ttlSeconds });
  };
  const signedIn = async (claims?: TokenClaims) =>
    new Configuration({ basePath: url, accessToken: await token(claims) });
  return {
    url,
    database,
    sql,
    logged,
    token,
    deps,
    tables: async (claims) => new TablesApi(await signedIn(claims)),
    attachments: async (claims) => new AttachmentsApi(await signedIn(claims)),
    engine: async (claims) => new EngineApi(await signedIn({ roles: ["engine"], ...claims })),
    formSessions: async (claims) => new FormSessionsApi(await signedIn(claims)),
    discussions: async (claims) => new DiscussionsApi(await signedIn(claims)),
    processes: async (claims) => new ProcessesApi(await signedIn(claims)),
    incidents: async (claims) => new IncidentsApi(await signedIn(claims)),
    tasklist: async (claims) => new TasklistApi(await signedIn(claims)),
    reports: async (claims) => new ReportsApi(await signedIn(claims)),
    integration: async (claims) => new IntegrationApi(await signedIn(claims)),
    tokens: async (claims) => new TokensApi(await signedIn(claims)),
    audit: async (claims) => new AuditApi(await signedIn(claims)),
    visitor: (formToken) => new PublicAttachmentsApi(new Configuration({ basePath: url, apiKey: formToken })),
    request: async (path, init = {}) => {
      const headers = new Headers(init.headers);
      if (!headers.has("authorization")) headers.set("authorization", `Bearer ${await token()}`);
      if (typeof init.body === "string" && !headers.has("content-type"))
        headers.set("content-type", "application/json");
      return fetch(`${url}${path}`, { ...init, headers });
    },
    stop: async () => {
      await server.stop();
      await jobs.stop();
      await Promise.all([sql.end({ timeout: 5 }), control.end({ timeout: 5 })]);
      await rm(dataDir, { recursive: true, force: true });
      if (!options.database) await database.drop();
    },
  };
}
