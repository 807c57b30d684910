/**
 * Configuration is a value: parsed once from the environment, complete and checked, then passed down (design 4).
 *
 * A bad variable is a `ConfigError` whose message is one line: the variable, what it got, what it takes. A secret's
 * value is never repeated in one. An empty variable counts as unset.
 */
import { availableParallelism, totalmem } from "node:os";
import { resolve } from "node:path";
import ipaddr from "ipaddr.js";
import type { ClamdAddress } from "./clamd.ts";
import { weaknessOf } from "./identity/weakSecret.ts";
import { type AllowRule, parseOutboundAllow } from "./outbound/allow.ts";

export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

export interface Config {
  readonly host: string;
  readonly port: number;
  /** Absolute path. Holds the embedded database, object files and generated secrets. */
  readonly dataDir: string;
  /** Absent: PostgreSQL is embedded under `dataDir`. */
  readonly databaseUrl: string | undefined;
  /** Connections for requests and jobs; `controlConnections` (database/connect.ts) come on top. */
  readonly databasePoolSize: number;
  /** Absent: objects are files under `dataDir`. */
  readonly s3: S3Config | undefined;
  /** Absent: a shared secret is generated into `dataDir`. */
  readonly accessTokens: AccessTokenConfig | undefined;
  readonly jwtIssuer: string | undefined;
  readonly jwtAudience: string | undefined;
  /** Absent or empty, like `downloadTokenSecret`: the instance is not configured to issue download URLs. */
  readonly publicBaseUrl: string | undefined;
  readonly downloadTokenSecret: string | undefined;
  readonly formTokenSecret: string | undefined;
  /** What tenants' secrets are encrypted under: the first one encrypts, each decrypts. Absent: there are no secrets. */
  readonly secretsKeys: readonly string[] | undefined;
  /** 1 to 3600. */
  readonly downloadUrlTtlSeconds: number;
  readonly uploadMaxBytes: number;
  /** Bytes that visitors may upload in a day (UTC): from one address, and by one embed. */
  readonly publicUploadDailyQuota: { readonly perAddress: number; readonly perEmbed: number };
  /** Bytes of all files of a tenant. Absent: no limit. */
  readonly tenantStorageQuota: number | undefined;
  /** Bytes that uploads leave free on the disk of `dataDir`. Absent: 5 % of it, and 1 GB at most. */
  readonly diskReserveBytes: number | undefined;
  readonly draftMaxAgeHours: number;
  /** Files that were finalized without a process instance, and that no instance took, are removed after this. */
  readonly unboundMaxAgeDays: number;
  readonly draftSweepIntervalSeconds: number;
  /** Absent: uploads are not scanned for malware. */
  readonly clamd: ClamdConfig | undefined;
  /** What service tasks may call although its address is private. */
  readonly outboundAllow: readonly AllowRule[];
  /** CIDR ranges whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  /** Threads for work that a request's bytes can make expensive. */
  readonly workerThreads: number;
  /** Bytes of resident memory past which new requests are refused. */
  readonly memoryLimitBytes: number;
  /** How long a process that ends still serves, so that a proxy notices. */
  readonly shutdownGraceSeconds: number;
  /** How long requests and service tasks under way may take after that. */
  readonly shutdownDrainSeconds: number;
  /** Whether `/openapi.json` and `/openapi.yaml` are served. */
  readonly openapi: boolean;
  /** Whether `/swagger` is served. Never without the contract, which the page reads. */
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
  /** What happens to an upload while clamd does not answer. */
  readonly whenAway: "refuse" | "accept";
}

const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads every variable. `cwd` is what a relative DATA_DIR is relative to. Throws `ConfigError`. */
export function parseConfig(environment: Environment, cwd: string): Config {
  const env: Environment = Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, value === "" ? undefined : value]),
  );
  requireDifferentSecrets(env);
  const databaseUrl = urlOf(env, "DATABASE_URL", ["postgres:", "postgresql:"])?.href;
  const openapi = isOn(env, "OPENAPI");
  const config: Config = {
    host: env.HOST ?? "127.0.0.1",
    port: numberOf(env, "PORT", { least: 0, most: 65_535, whole: true, otherwise: 3000 }),
    dataDir: resolve(cwd, env.DATA_DIR ?? ".data"),
    databaseUrl,
    databasePoolSize: numberOf(env, "DATABASE_POOL_SIZE", {
      least: 4,
      most: 200,
      whole: true,
      otherwise: 20,
    }),
    s3: s3Of(env),
    accessTokens: accessTokensOf(env),
    jwtIssuer: env.JWT_ISSUER,
    jwtAudience: env.JWT_AUDIENCE,
    publicBaseUrl: orOff(environment, "PUBLIC_BASE_URL") ?? baseUrlOf(env, "PUBLIC_BASE_URL"),
    downloadTokenSecret:
      orOff(environment, "DOWNLOAD_TOKEN_SECRET") ?? secretOf(env, "DOWNLOAD_TOKEN_SECRET"),
    formTokenSecret: orOff(environment, "FORM_TOKEN_SECRET") ?? secretOf(env, "FORM_TOKEN_SECRET"),
    secretsKeys: orOff(environment, "SECRETS_KEY") === "" ? [] : secretsKeysOf(env, "SECRETS_KEY"),
    downloadUrlTtlSeconds: numberOf(env, "FORM_ATTACHMENT_URL_TTL_SECONDS", {
      least: 1,
      most: 3600,
      whole: true,
      otherwise: 900,
    }),
    uploadMaxBytes: sizeOf(env, "UPLOAD_MAX_SIZE", 10 * 1024 ** 2),
    publicUploadDailyQuota: {
      perAddress: largeSizeOf(env, "PUBLIC_UPLOAD_DAILY_QUOTA_PER_ADDRESS") ?? 1024 ** 3,
      perEmbed: largeSizeOf(env, "PUBLIC_UPLOAD_DAILY_QUOTA_PER_EMBED") ?? 20 * 1024 ** 3,
    },
    tenantStorageQuota: largeSizeOf(env, "TENANT_STORAGE_QUOTA"),
    diskReserveBytes: largeSizeOf(env, "DISK_RESERVE"),
    unboundMaxAgeDays: numberOf(env, "UNBOUND_MAX_AGE_DAYS", { least: 1, most: 3650, otherwise: 30 }),
    draftMaxAgeHours: numberOf(env, "DRAFT_MAX_AGE_HOURS", { least: 0, most: 24 * 365, otherwise: 24 }),
    draftSweepIntervalSeconds: numberOf(env, "DRAFT_SWEEP_INTERVAL_SECONDS", {
      least: 1,
      most: 86_400,
      otherwise: 300,
    }),
    clamd: clamdOf(env),
    outboundAllow: allowRulesOf(env, "OUTBOUND_ALLOW"),
    trustedProxies: rangesOf(env, "TRUSTED_PROXIES"),
    workerThreads: numberOf(env, "WORKER_THREADS", {
      least: 2,
      most: 64,
      whole: true,
      otherwise: Math.min(64, Math.max(2, availableParallelism())),
    }),
    memoryLimitBytes: memoryOf(env, "MEMORY_LIMIT"),
    shutdownGraceSeconds: numberOf(env, "SHUTDOWN_GRACE_SECONDS", { least: 0, most: 600, otherwise: 5 }),
    shutdownDrainSeconds: numberOf(env, "SHUTDOWN_DRAIN_SECONDS", { least: 0, most: 3_600, otherwise: 25 }),
    openapi,
    swaggerUi: isOn(env, "SWAGGER_UI") && openapi,
    logLevel: oneOf(env, "LOG_LEVEL", { values: logLevels, otherwise: "info" }),
  };
  const outside = databaseUrl !== undefined ? "DATABASE_URL" : config.s3 && "S3_ENDPOINT";
  if (outside && config.accessTokens === undefined)
    throw new ConfigError(
      `JWT_SECRET is not set; with ${outside} it takes a secret of at least 32 characters, or JWT_JWKS_URL the URL of a key set`,
    );
  return config;
}

/** `""` where a variable is set to nothing: a self-contained instance then makes no value of its own. */
const orOff = (environment: Environment, name: string) => (environment[name] === "" ? "" : undefined);

const refusal = (name: string, got: string, takes: string) =>
  new ConfigError(`${name} is ${JSON.stringify(got)}; it takes ${takes}`);

function numberOf(
  env: Environment,
  name: string,
  rule: { least: number; most: number; whole?: boolean; otherwise: number },
): number {
  const text = env[name];
  if (text === undefined) return rule.otherwise;
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (value >= rule.least && value <= rule.most && (!rule.whole || Number.isInteger(value))) return value;
  throw refusal(name, text, `a ${rule.whole ? "whole " : ""}number from ${rule.least} to ${rule.most}`);
}

function sizeOf(env: Environment, name: string, otherwise: number): number {
  const text = env[name];
  if (text === undefined) return otherwise;
  const match = /^(\d+(?:\.\d+)?)\s*(KB|MB)?$/i.exec(text);
  const unit = { KB: 1024, MB: 1024 ** 2 }[match?.[2]?.toUpperCase() ?? ""] ?? 1;
  const bytes = Math.floor(Number(match?.[1]) * unit);
  if (bytes >= 1 && bytes <= 1024 ** 3) return bytes;
  throw refusal(name, text, "bytes, or a number with KB or MB, from 1 to 1024MB");
}

/** Of a disk, or of many files. */
function largeSizeOf(env: Environment, name: string): number | undefined {
  const text = env[name];
  if (text === undefined) return undefined;
  const match = /^(\d{1,15}(?:\.\d{1,9})?)\s*(KB|MB|GB|TB)?$/i.exec(text);
  const units = { KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3, TB: 1024 ** 4 };
  const bytes = Math.floor(
    Number(match?.[1]) * (units[match?.[2]?.toUpperCase() as keyof typeof units] ?? 1),
  );
  if (bytes >= 0 && bytes <= 1024 ** 5) return bytes;
  throw refusal(name, text, "bytes, or a number with KB, MB, GB or TB, up to 1024TB");
}

/** Four fifths of what the machine or its control group has, unless set. */
function memoryOf(env: Environment, name: string): number {
  const text = env[name];
  if (text === undefined)
    return Math.floor(Math.min(totalmem(), process.constrainedMemory() || Infinity) * 0.8);
  const match = /^(\d+(?:\.\d+)?)\s*(MB|GB)$/i.exec(text);
  const bytes = Number(match?.[1]) * (match?.[2]?.toUpperCase() === "GB" ? 1024 ** 3 : 1024 ** 2);
  if (bytes >= 256 * 1024 ** 2 && bytes <= 1024 ** 4) return Math.floor(bytes);
  throw refusal(name, text, "a number with MB or GB, from 256MB to 1024GB");
}

function urlOf(env: Environment, name: string, protocols: readonly string[]): URL | undefined {
  const text = env[name];
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  if (url && protocols.includes(url.protocol)) return url;
  // Not repeated: a database's URL holds its password.
  throw new ConfigError(
    `${name} is not a usable URL; it takes one that begins with ${protocols.join("// or ")}//`,
  );
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
    throw new ConfigError(`${name} has ${secret.length} characters; it takes at least ${leastSecretLength}`);
  const weakness = weaknessOf(secret);
  if (weakness === undefined) return secret;
  throw new ConfigError(
    `${name} ${weakness}; it takes a random secret, such as \`openssl rand -hex 32\` prints`,
  );
}

const leastSecretLength = 32;

/** Whoever learns one of them must not be able to make what another one signs. */
function requireDifferentSecrets(env: Environment): void {
  const names = ["JWT_SECRET", "DOWNLOAD_TOKEN_SECRET", "FORM_TOKEN_SECRET", "SECRETS_KEY"];
  for (const [at, name] of names.entries()) {
    const same = names.slice(0, at).find((other) => env[name] !== undefined && env[other] === env[name]);
    if (same)
      throw new ConfigError(`${name} is the same as ${same}; it takes a secret that nothing else has`);
  }
}

const isOn = (env: Environment, name: string) =>
  oneOf(env, name, { values: ["on", "off"], otherwise: "on" }) === "on";

function secretsKeysOf(env: Environment, name: string): string[] | undefined {
  if (env[name] === undefined) return undefined;
  const keys = listOf(env, name);
  const takes = "it takes one or more random keys of at least 32 characters, separated by commas";
  const short = keys.find(({ length }) => length < leastSecretLength) ?? (keys.length === 0 ? "" : undefined);
  if (short !== undefined) throw new ConfigError(`${name} has a key of ${short.length} characters; ${takes}`);
  const weakness = keys.map(weaknessOf).find((found) => found !== undefined);
  if (weakness !== undefined) throw new ConfigError(`${name} has a key that ${weakness}; ${takes}`);
  return keys;
}

function accessTokensOf(env: Environment): AccessTokenConfig | undefined {
  const secret = secretOf(env, "JWT_SECRET");
  const url = urlOf(env, "JWT_JWKS_URL", ["http:", "https:"]);
  if (secret !== undefined && url)
    throw new ConfigError("JWT_SECRET and JWT_JWKS_URL are both set; it takes one of them");
  if (url) return { kind: "jwks", url };
  return secret === undefined ? undefined : { kind: "secret", secret };
}

function s3Of(env: Environment): S3Config | undefined {
  const endpoint = urlOf(env, "S3_ENDPOINT", ["http:", "https:"]);
  if (!endpoint) return undefined;
  if (endpoint.pathname !== "/") throw refusal("S3_ENDPOINT", endpoint.href, "a URL without a path");
  const required = (name: string) => {
    const value = env[name];
    if (value === undefined) throw new ConfigError(`${name} is not set; with S3_ENDPOINT it takes a value`);
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

function listOf(env: Environment, name: string): string[] {
  return (env[name] ?? "")
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

function allowRulesOf(env: Environment, name: string): AllowRule[] {
  try {
    return parseOutboundAllow(listOf(env, name));
  } catch (error) {
    const takes = "a comma-separated list of hosts, host:port pairs, addresses and CIDR ranges";
    throw new ConfigError(`${name} cannot be read: ${(error as Error).message}; it takes ${takes}`);
  }
}

function rangesOf(env: Environment, name: string): string[] {
  return listOf(env, name).map((item) => {
    if (ipaddr.isValidCIDR(item)) return item;
    if (ipaddr.isValid(item)) return `${item}/${ipaddr.parse(item).kind() === "ipv4" ? 32 : 128}`;
    throw refusal(name, item, "a comma-separated list of CIDR ranges, such as 10.0.0.0/8");
  });
}

function oneOf<T extends string>(
  env: Environment,
  name: string,
  { values, otherwise }: { values: readonly T[]; otherwise: T },
): T {
  const text = env[name];
  if (text === undefined) return otherwise;
  const found = values.find((value) => value === text);
  if (found === undefined) throw refusal(name, text, `one of ${values.join(", ")}`);
  return found;
}
