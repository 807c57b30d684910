/**
 * The configuration: parsed from the environment and checked once, then passed down as a value. docs/operations.md
 * explains every variable.
 *
 * A wrong variable throws a `ConfigError`. Its message is one line: the variable, its value, and what it must be. The
 * message never repeats a secret. An empty variable counts as unset. For some variables, an empty text also switches a
 * function off: see `emptyIfOff`.
 */
import { availableParallelism, totalmem } from "node:os";
import { resolve } from "node:path";
import ipaddr from "ipaddr.js";
import { diskSize, fileSize, memorySize, tableFileSize } from "./byteSize.ts";
import type { ClamdAddress } from "./clamd.ts";
import {
  ConfigError,
  type Environment,
  emptyIfOff,
  isOn,
  listOf,
  numberOf,
  oneOf,
  refusal,
  sizeOf,
  wholeOf,
} from "./configValues.ts";
import { weaknessOf } from "./identity/weakSecret.ts";
import { type AllowRule, parseOutboundAllow } from "./outbound/allow.ts";

export { ConfigError, type Environment };

export interface Config {
  readonly host: string;
  readonly port: number;
  /** Absolute path of the folder for the embedded database, object files and generated secrets. */
  readonly dataDir: string;
  /** Undefined: an embedded PostgreSQL under `dataDir`. */
  readonly databaseUrl: string | undefined;
  /** Connections for requests and jobs. `controlConnections` (database/connect.ts) are added to these. */
  readonly databasePoolSize: number;
  /** Undefined: objects are files under `dataDir`. */
  readonly s3: S3Config | undefined;
  /** Undefined: a shared secret is generated into `dataDir`. */
  readonly accessTokens: AccessTokenConfig | undefined;
  readonly jwtIssuer: string | undefined;
  readonly jwtAudience: string | undefined;
  /** If this or `downloadTokenSecret` is undefined or empty, the server issues no download URLs. */
  readonly publicBaseUrl: string | undefined;
  readonly downloadTokenSecret: string | undefined;
  readonly formTokenSecret: string | undefined;
  /** Keys for the secrets of tenants: the first one encrypts, each of them decrypts. Undefined: no secrets. */
  readonly secretsKeys: readonly string[] | undefined;
  /** From 1 to 3600. */
  readonly downloadUrlTtlSeconds: number;
  readonly uploadMaxBytes: number;
  /** The largest file that an import takes. */
  readonly importMaxBytes: number;
  /** How long an export or the writing of an import may take. */
  readonly transferTimeoutSeconds: number;
  /** Bytes that visitors may upload in a day (UTC) from one address, and through one embed. */
  readonly publicUploadDailyQuota: { readonly perAddress: number; readonly perEmbed: number };
  /** Bytes of all files of one tenant. Undefined: no limit. */
  readonly tenantStorageQuota: number | undefined;
  /** Bytes that uploads leave free on the disk of `dataDir`. Undefined: 5 % of the disk, at most 1 GB. */
  readonly diskReserveBytes: number | undefined;
  readonly draftMaxAgeHours: number;
  /** The age at which files are removed that were finalized without a process instance and that none has taken. */
  readonly unboundMaxAgeDays: number;
  readonly draftSweepIntervalSeconds: number;
  /** The age at which audit records are removed. Undefined: never. */
  readonly auditRetentionDays: number | undefined;
  /** For how long dropped tables and columns can be restored. 0: they are gone at once. */
  readonly tablesUndoDays: number;
  /** Undefined: uploads are not scanned for malware. */
  readonly clamd: ClamdConfig | undefined;
  /** Undefined: the embedded process engine. */
  readonly engine: EngineConfig | undefined;
  /** Whether models are deployed through Waybill. */
  readonly engineDeployments: boolean;
  /** What service tasks may call besides public addresses. */
  readonly outboundAllow: readonly AllowRule[];
  /** CIDR ranges of the proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
  /** How long the database may work on one read of a tenant's table. */
  readonly tablesStatementTimeoutSeconds: number;
  /** Threads for work that a request can make expensive. */
  readonly workerThreads: number;
  /** Bytes of resident memory above which new requests are refused. */
  readonly memoryLimitBytes: number;
  /** How long a process still serves after SIGTERM, so that a proxy notices that it is not ready. */
  readonly shutdownGraceSeconds: number;
  /** How long running requests and service tasks may take after that. */
  readonly shutdownDrainSeconds: number;
  /** Whether `/openapi.json` and `/openapi.yaml` are served. */
  readonly openapi: boolean;
  /** Whether `/swagger` is served. Never without the contract, which that page reads. */
  readonly swaggerUi: boolean;
  readonly logLevel: LogLevel;
}

export interface S3Config {
  readonly endpoint: URL;
  readonly region: string;
  readonly bucket: string;
  readonly accessKey: string;
  readonly secretKey: string;
}

export type AccessTokenConfig =
  | { readonly kind: "secret"; readonly secret: string }
  | { readonly kind: "jwks"; readonly url: URL };

export interface ClamdConfig {
  readonly address: ClamdAddress;
  /** Whether uploads are refused or accepted while clamd does not answer. */
  readonly whenAway: "refuse" | "accept";
}

/** The REST interface of Operaton or Camunda 7. */
export interface EngineConfig {
  /** Without a slash at its end. */
  readonly url: string;
  /** A header. Undefined: the engine asks for none. */
  readonly authorization: string | undefined;
  readonly timeoutMs: number;
}

const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

/** Reads every variable. A relative DATA_DIR begins at `cwd`. Throws `ConfigError`. */
export function parseConfig(environment: Environment, cwd: string): Config {
  const env: Environment = Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, value === "" ? undefined : value]),
  );
  requireDifferentSecrets(env);
  const databaseUrl = urlOf(env, "DATABASE_URL", ["postgres:", "postgresql:"])?.href;
  const openapi = isOn(env, "OPENAPI");
  const config: Config = {
    host: env.HOST ?? "127.0.0.1",
    port: wholeOf(env, "PORT", { least: 0, most: 65_535, otherwise: 3000 }),
    dataDir: resolve(cwd, env.DATA_DIR ?? ".data"),
    databaseUrl,
    databasePoolSize: wholeOf(env, "DATABASE_POOL_SIZE", { least: 4, most: 200, otherwise: 20 }),
    s3: s3Of(env),
    accessTokens: accessTokensOf(env),
    jwtIssuer: env.JWT_ISSUER,
    jwtAudience: env.JWT_AUDIENCE,
    publicBaseUrl: emptyIfOff(environment, "PUBLIC_BASE_URL") ?? baseUrlOf(env, "PUBLIC_BASE_URL"),
    downloadTokenSecret:
      emptyIfOff(environment, "DOWNLOAD_TOKEN_SECRET") ?? secretOf(env, "DOWNLOAD_TOKEN_SECRET"),
    formTokenSecret: emptyIfOff(environment, "FORM_TOKEN_SECRET") ?? secretOf(env, "FORM_TOKEN_SECRET"),
    secretsKeys: emptyIfOff(environment, "SECRETS_KEY") === "" ? [] : secretsKeysOf(env, "SECRETS_KEY"),
    downloadUrlTtlSeconds: wholeOf(env, "FORM_ATTACHMENT_URL_TTL_SECONDS", {
      least: 1,
      most: 3600,
      otherwise: 900,
    }),
    uploadMaxBytes: sizeOf(env, "UPLOAD_MAX_SIZE", fileSize) ?? 10 * 1024 ** 2,
    importMaxBytes: sizeOf(env, "IMPORT_MAX_SIZE", tableFileSize) ?? 4 * 1024 ** 3,
    transferTimeoutSeconds: wholeOf(env, "TRANSFER_TIMEOUT_SECONDS", {
      least: 10,
      most: 86_400,
      otherwise: 3_600,
    }),
    publicUploadDailyQuota: {
      perAddress: sizeOf(env, "PUBLIC_UPLOAD_DAILY_QUOTA_PER_ADDRESS", diskSize) ?? 1024 ** 3,
      perEmbed: sizeOf(env, "PUBLIC_UPLOAD_DAILY_QUOTA_PER_EMBED", diskSize) ?? 20 * 1024 ** 3,
    },
    tenantStorageQuota: sizeOf(env, "TENANT_STORAGE_QUOTA", diskSize),
    diskReserveBytes: sizeOf(env, "DISK_RESERVE", diskSize),
    unboundMaxAgeDays: numberOf(env, "UNBOUND_MAX_AGE_DAYS", { least: 1, most: 3650, otherwise: 30 }),
    draftMaxAgeHours: numberOf(env, "DRAFT_MAX_AGE_HOURS", { least: 0, most: 24 * 365, otherwise: 24 }),
    draftSweepIntervalSeconds: numberOf(env, "DRAFT_SWEEP_INTERVAL_SECONDS", {
      least: 1,
      most: 86_400,
      otherwise: 300,
    }),
    auditRetentionDays: env.AUDIT_RETENTION_DAYS
      ? wholeOf(env, "AUDIT_RETENTION_DAYS", { least: 30, most: 36_500, otherwise: 36_500 })
      : undefined,
    tablesUndoDays: numberOf(env, "TABLES_UNDO_DAYS", { least: 0, most: 3650, otherwise: 7 }),
    clamd: clamdOf(env),
    engine: engineOf(env),
    engineDeployments: deploymentsOf(env),
    outboundAllow: allowRulesOf(env, "OUTBOUND_ALLOW"),
    trustedProxies: rangesOf(env, "TRUSTED_PROXIES"),
    tablesStatementTimeoutSeconds: wholeOf(env, "TABLES_STATEMENT_TIMEOUT_SECONDS", {
      least: 1,
      most: 50,
      otherwise: 30,
    }),
    workerThreads: wholeOf(env, "WORKER_THREADS", {
      least: 2,
      most: 64,
      otherwise: Math.min(64, Math.max(2, availableParallelism())),
    }),
    memoryLimitBytes: sizeOf(env, "MEMORY_LIMIT", memorySize) ?? mostOfMemory(),
    shutdownGraceSeconds: numberOf(env, "SHUTDOWN_GRACE_SECONDS", { least: 0, most: 600, otherwise: 5 }),
    shutdownDrainSeconds: numberOf(env, "SHUTDOWN_DRAIN_SECONDS", { least: 0, most: 3_600, otherwise: 25 }),
    openapi,
    swaggerUi: isOn(env, "SWAGGER_UI") && openapi,
    logLevel: oneOf(env, "LOG_LEVEL", { values: logLevels, otherwise: "info" }),
  };
  const outside = databaseUrl !== undefined ? "DATABASE_URL" : config.s3 && "S3_ENDPOINT";
  if (outside && config.accessTokens === undefined)
    throw new ConfigError(
      `JWT_SECRET is not set; with ${outside}, set it to a secret of at least 32 characters, ` +
        "or set JWT_JWKS_URL to the URL of a key set",
    );
  return config;
}

/** Four fifths of the memory of the machine or the container. */
const mostOfMemory = () => Math.floor(Math.min(totalmem(), process.constrainedMemory() || Infinity) * 0.8);

function urlOf(env: Environment, name: string, protocols: readonly string[]): URL | undefined {
  const text = env[name];
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  if (url && protocols.includes(url.protocol)) return url;
  // The value is not repeated: the URL of a database holds its password.
  throw new ConfigError(`${name} is not a valid URL; it must begin with ${protocols.join("// or ")}//`);
}

function baseUrlOf(env: Environment, name: string): string | undefined {
  const url = urlOf(env, name, ["http:", "https:"]);
  if (url && (url.search || url.hash || url.username || url.password))
    throw refusal(name, url.origin, "a URL without a query, a fragment or a password");
  return url?.href.replace(/\/+$/, "");
}

function secretOf(env: Environment, name: string): string | undefined {
  const secret = env[name];
  if (secret === undefined) return undefined;
  if (secret.length < leastSecretLength)
    throw new ConfigError(
      `${name} has ${secret.length} characters; it must have at least ${leastSecretLength}`,
    );
  const weakness = weaknessOf(secret);
  if (weakness === undefined) return secret;
  throw new ConfigError(
    `${name} ${weakness}; it must be random: \`openssl rand -hex 32\` prints a good secret`,
  );
}

const leastSecretLength = 32;

/** Somebody who learns one secret must not be able to sign what another one signs. */
function requireDifferentSecrets(env: Environment): void {
  const names = ["JWT_SECRET", "DOWNLOAD_TOKEN_SECRET", "FORM_TOKEN_SECRET", "SECRETS_KEY"];
  for (const [at, name] of names.entries()) {
    const same = names.slice(0, at).find((other) => env[name] !== undefined && env[other] === env[name]);
    if (same) throw new ConfigError(`${name} is the same as ${same}; give each of them a different secret`);
  }
}

function secretsKeysOf(env: Environment, name: string): string[] | undefined {
  if (env[name] === undefined) return undefined;
  const keys = listOf(env, name);
  const expected = "it must be one or more random keys of at least 32 characters, separated by commas";
  const short = keys.find(({ length }) => length < leastSecretLength) ?? (keys.length === 0 ? "" : undefined);
  if (short !== undefined)
    throw new ConfigError(`${name} has a key of ${short.length} characters; ${expected}`);
  const weakness = keys.map(weaknessOf).find((found) => found !== undefined);
  if (weakness !== undefined) throw new ConfigError(`${name} has a key that ${weakness}; ${expected}`);
  return keys;
}

function accessTokensOf(env: Environment): AccessTokenConfig | undefined {
  const secret = secretOf(env, "JWT_SECRET");
  const url = urlOf(env, "JWT_JWKS_URL", ["http:", "https:"]);
  if (secret !== undefined && url)
    throw new ConfigError("JWT_SECRET and JWT_JWKS_URL are both set; set only one of them");
  if (url) return { kind: "jwks", url };
  return secret === undefined ? undefined : { kind: "secret", secret };
}

function s3Of(env: Environment): S3Config | undefined {
  const endpoint = urlOf(env, "S3_ENDPOINT", ["http:", "https:"]);
  if (!endpoint) return undefined;
  if (endpoint.pathname !== "/") throw refusal("S3_ENDPOINT", endpoint.href, "a URL without a path");
  const required = (name: string) => {
    const value = env[name];
    if (value === undefined) throw new ConfigError(`${name} is not set; S3_ENDPOINT requires it`);
    return value;
  };
  return {
    endpoint,
    region: env.S3_REGION ?? "us-east-1",
    bucket: required("S3_BUCKET"),
    accessKey: required("S3_ACCESS_KEY"),
    secretKey: required("S3_SECRET_KEY"),
  };
}

function clamdOf(env: Environment): ClamdConfig | undefined {
  const whenAway = oneOf(env, "CLAMD_WHEN_AWAY", { values: ["refuse", "accept"], otherwise: "refuse" });
  const text = env.CLAMD_ADDRESS;
  if (text === undefined) return undefined;
  if (text.startsWith("/")) return { address: { socket: text }, whenAway };
  const url = URL.parse(`tcp://${text}`);
  if (url?.hostname && url.port) return { address: { host: url.hostname, port: Number(url.port) }, whenAway };
  throw refusal("CLAMD_ADDRESS", text, "host:port, or the path of a socket");
}

function engineOf(env: Environment): EngineConfig | undefined {
  const timeoutMs = 1_000 * numberOf(env, "ENGINE_TIMEOUT_SECONDS", { least: 1, most: 600, otherwise: 30 });
  const url = baseUrlOf(env, "ENGINE_URL");
  const names = ["ENGINE_USERNAME", "ENGINE_PASSWORD", "ENGINE_BEARER_TOKEN"] as const;
  const [user, password, token] = names.map((name) => env[name]);
  const first = names.find((name) => env[name] !== undefined);
  if (!url && first) throw new ConfigError(`ENGINE_URL is not set; ${first} requires it`);
  if ((user === undefined) !== (password === undefined))
    throw new ConfigError("ENGINE_USERNAME and ENGINE_PASSWORD belong together; set both or none of them");
  if (user !== undefined && token !== undefined)
    throw new ConfigError("ENGINE_USERNAME and ENGINE_BEARER_TOKEN are both set; set only one of them");
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
    throw new ConfigError("ENGINE_BEARER_TOKEN has spaces or unusual characters; set it to the token alone");
  const basic = user && `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
  return url === undefined ? undefined : { url, timeoutMs, authorization: token ? `Bearer ${token}` : basic };
}

/** Without an engine beside Waybill, models could be deployed nowhere. */
function deploymentsOf(env: Environment): boolean {
  const deployments = isOn(env, "ENGINE_DEPLOYMENTS");
  if (!deployments && env.ENGINE_URL === undefined)
    throw new ConfigError("ENGINE_URL is not set; ENGINE_DEPLOYMENTS=off requires it");
  return deployments;
}

function allowRulesOf(env: Environment, name: string): AllowRule[] {
  try {
    return parseOutboundAllow(listOf(env, name));
  } catch (error) {
    throw new ConfigError(`${name} is a list with a wrong entry: ${(error as Error).message}`);
  }
}

function rangesOf(env: Environment, name: string): string[] {
  return listOf(env, name).map((item) => {
    if (ipaddr.isValidCIDR(item)) return item;
    if (ipaddr.isValid(item)) return `${item}/${ipaddr.parse(item).kind() === "ipv4" ? 32 : 128}`;
    throw refusal(name, item, "a comma-separated list of CIDR ranges, such as 10.0.0.0/8");
  });
}
