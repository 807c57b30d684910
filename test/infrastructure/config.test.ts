/** The environment becomes one complete configuration, or one line that says what is wrong. */
import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { totalmem } from "node:os";
import { ConfigError, type Environment, parseConfig } from "../../src/infrastructure/config.ts";

const parse = (environment: Environment = {}) => parseConfig(environment, "/srv/waybill");
const secret = "a secret of at least thirty-two characters";

function refusal(environment: Environment): string {
  try {
    parse(environment);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message;
  }
  throw new Error("The configuration was accepted");
}

test("without any variable everything is embedded, with the documented defaults", () => {
  expect(parse()).toMatchObject({
    host: "127.0.0.1",
    port: 3000,
    dataDir: "/srv/waybill/.data",
    downloadUrlTtlSeconds: 900,
    uploadMaxBytes: 10 * 1024 * 1024,
    importMaxBytes: 4 * 1024 ** 3,
    transferTimeoutSeconds: 3_600,
    draftMaxAgeHours: 24,
    draftSweepIntervalSeconds: 300,
    auditRetentionDays: undefined,
    outboundAllow: [],
    trustedProxies: [],
    shutdownGraceSeconds: 5,
    shutdownDrainSeconds: 25,
    openapi: true,
    swaggerUi: true,
    logLevel: "info",
  });
  for (const absent of [
    "databaseUrl",
    "s3",
    "accessTokens",
    "jwtIssuer",
    "jwtAudience",
    "publicBaseUrl",
    "engine",
  ] as const)
    expect(parse()[absent]).toBeUndefined();
});

test("an empty variable counts as unset", () => {
  const { host, port, databaseUrl, accessTokens, logLevel } = parse({
    HOST: "",
    PORT: "",
    DATABASE_URL: "",
    JWT_SECRET: "",
    LOG_LEVEL: "",
  });
  expect({ host, port, databaseUrl, accessTokens, logLevel }).toEqual({
    host: "127.0.0.1",
    port: 3000,
    databaseUrl: undefined,
    accessTokens: undefined,
    logLevel: "info",
  });
});

test("quotas are bytes, or a number with KB, MB, GB or TB, and have documented defaults", () => {
  expect(parse()).toMatchObject({
    publicUploadDailyQuota: { perAddress: 1024 ** 3, perEmbed: 20 * 1024 ** 3 },
    tenantStorageQuota: undefined,
    diskReserveBytes: undefined,
    unboundMaxAgeDays: 30,
  });
  expect(
    parse({
      PUBLIC_UPLOAD_DAILY_QUOTA_PER_ADDRESS: "100MB",
      PUBLIC_UPLOAD_DAILY_QUOTA_PER_EMBED: "2 gb",
      TENANT_STORAGE_QUOTA: "1.5TB",
      DISK_RESERVE: "0",
    }),
  ).toMatchObject({
    publicUploadDailyQuota: { perAddress: 100 * 1024 ** 2, perEmbed: 2 * 1024 ** 3 },
    tenantStorageQuota: 1.5 * 1024 ** 4,
    diskReserveBytes: 0,
  });
  expect(refusal({ DISK_RESERVE: "5%" })).toBe(
    'DISK_RESERVE is "5%"; it must be a number of bytes, or a number with KB, MB, GB or TB, up to 1024TB',
  );
  expect(refusal({ TENANT_STORAGE_QUOTA: "2000TB" })).toContain("TENANT_STORAGE_QUOTA");
});

test("IMPORT_MAX_SIZE and TRANSFER_TIMEOUT_SECONDS bound imports and exports", () => {
  expect(parse({ IMPORT_MAX_SIZE: "1.5GB" }).importMaxBytes).toBe(1.5 * 1024 ** 3);
  expect(parse({ IMPORT_MAX_SIZE: "1000" }).importMaxBytes).toBe(1_000);
  expect(refusal({ IMPORT_MAX_SIZE: "65GB" })).toBe(
    'IMPORT_MAX_SIZE is "65GB"; it must be a number of bytes, or a number with KB, MB or GB, from 1 to 64GB',
  );
  expect(parse({ TRANSFER_TIMEOUT_SECONDS: "60" }).transferTimeoutSeconds).toBe(60);
  expect(refusal({ TRANSFER_TIMEOUT_SECONDS: "5" })).toContain("from 10 to 86400");
});

test("TABLES_UNDO_DAYS is a number of days from 0 on, and 7 by default", () => {
  expect(parse().tablesUndoDays).toBe(7);
  expect(parse({ TABLES_UNDO_DAYS: "0" }).tablesUndoDays).toBe(0);
  expect(parse({ TABLES_UNDO_DAYS: "0.5" }).tablesUndoDays).toBe(0.5);
  for (const text of ["-1", "4000", "a week"])
    expect(refusal({ TABLES_UNDO_DAYS: text })).toContain("TABLES_UNDO_DAYS");
});

test("a relative DATA_DIR begins where the server was started", () => {
  expect(parse({ DATA_DIR: "data" }).dataDir).toBe("/srv/waybill/data");
  expect(parse({ DATA_DIR: "/var/lib/waybill" }).dataDir).toBe("/var/lib/waybill");
});

test.each([
  ["1048576", 1_048_576],
  ["512KB", 524_288],
  ["20MB", 20_971_520],
  ["1.5mb", 1_572_864],
  ["10 MB", 10_485_760],
])("UPLOAD_MAX_SIZE %s is %i bytes", (text, bytes) => {
  expect(parse({ UPLOAD_MAX_SIZE: text }).uploadMaxBytes).toBe(bytes);
});

test("MEMORY_LIMIT is in MB or GB, and by default less than the memory of the machine", () => {
  expect(parse({ MEMORY_LIMIT: "512MB" }).memoryLimitBytes).toBe(512 * 1024 ** 2);
  expect(parse({ MEMORY_LIMIT: "1.5 GB" }).memoryLimitBytes).toBe(1.5 * 1024 ** 3);
  expect(parse().memoryLimitBytes).toBeWithin(1, totalmem());
});

test("bounds are inclusive, and fractions are allowed where documented", () => {
  expect(parse({ FORM_ATTACHMENT_URL_TTL_SECONDS: "1" }).downloadUrlTtlSeconds).toBe(1);
  expect(parse({ FORM_ATTACHMENT_URL_TTL_SECONDS: "3600" }).downloadUrlTtlSeconds).toBe(3600);
  expect(parse({ DRAFT_MAX_AGE_HOURS: "0.001" }).draftMaxAgeHours).toBe(0.001);
  expect(parse({ PORT: "0" }).port).toBe(0);
});

test("a public address loses the slash at its end", () => {
  expect(parse({ PUBLIC_BASE_URL: "https://bank.example/" }).publicBaseUrl).toBe("https://bank.example");
  expect(parse({ PUBLIC_BASE_URL: "https://bank.example/flow//" }).publicBaseUrl).toBe(
    "https://bank.example/flow",
  );
});

test("lists are split at commas, and a plain address is a range of one", () => {
  const { outboundAllow, trustedProxies } = parse({
    OUTBOUND_ALLOW: " core.bank.internal:8443, 10.0.0.0/8 ,,",
    TRUSTED_PROXIES: "10.0.0.7, 192.168.0.0/16, ::1",
  });
  expect(outboundAllow).toMatchObject([{ host: "core.bank.internal", port: 8443 }, { host: undefined }]);
  expect(trustedProxies).toEqual(["10.0.0.7/32", "192.168.0.0/16", "::1/128"]);
});

test("access tokens are verified with a secret or with a key set", () => {
  expect(parse({ JWT_SECRET: secret }).accessTokens).toEqual({ kind: "secret", secret });
  const url = "https://platform.example/keys";
  expect(parse({ JWT_JWKS_URL: url }).accessTokens).toEqual({ kind: "jwks", url: new URL(url) });
  expect(refusal({ JWT_SECRET: secret, JWT_JWKS_URL: url })).toMatch(/^JWT_SECRET and JWT_JWKS_URL/);
});

test("object storage needs its bucket and keys", () => {
  const s3 = {
    S3_ENDPOINT: "http://127.0.0.1:9000",
    S3_BUCKET: "waybill",
    S3_ACCESS_KEY: "a",
    S3_SECRET_KEY: "b",
  };
  expect(parse({ ...s3, JWT_SECRET: secret }).s3).toEqual({
    endpoint: new URL("http://127.0.0.1:9000"),
    region: "us-east-1",
    bucket: "waybill",
    accessKey: "a",
    secretKey: "b",
  });
  for (const name of ["S3_BUCKET", "S3_ACCESS_KEY", "S3_SECRET_KEY"])
    expect(refusal({ ...s3, [name]: "" })).toMatch(new RegExp(`^${name} is not set`));
});

test("ENGINE_URL names an engine, with an account, with a token or with neither", () => {
  const ENGINE_URL = "http://engine:8080/engine-rest";
  expect(parse({ ENGINE_URL: `${ENGINE_URL}/` }).engine).toEqual({
    url: ENGINE_URL,
    authorization: undefined,
    timeoutMs: 30_000,
  });
  expect(
    parse({
      ENGINE_URL,
      ENGINE_USERNAME: "waybill",
      ENGINE_PASSWORD: "pass:wörd",
      ENGINE_TIMEOUT_SECONDS: "5",
    }).engine,
  ).toMatchObject({
    authorization: `Basic ${Buffer.from("waybill:pass:wörd").toString("base64")}`,
    timeoutMs: 5_000,
  });
  expect(parse({ ENGINE_URL, ENGINE_BEARER_TOKEN: "abc" }).engine?.authorization).toBe("Bearer abc");
});

test("the variables of the engine have to fit together", () => {
  const ENGINE_URL = "http://engine:8080/engine-rest";
  expect(parse({}).engineDeployments).toBe(true);
  expect(parse({ ENGINE_URL, ENGINE_DEPLOYMENTS: "off" }).engineDeployments).toBe(false);
  expect(refusal({ ENGINE_DEPLOYMENTS: "off" })).toBe(
    "ENGINE_URL is not set; ENGINE_DEPLOYMENTS=off requires it",
  );
  for (const name of ["ENGINE_USERNAME", "ENGINE_PASSWORD", "ENGINE_BEARER_TOKEN"])
    expect(refusal({ [name]: "x" })).toBe(`ENGINE_URL is not set; ${name} requires it`);
  for (const name of ["ENGINE_USERNAME", "ENGINE_PASSWORD"])
    expect(refusal({ ENGINE_URL, [name]: "x" })).toMatch(
      /^ENGINE_USERNAME and ENGINE_PASSWORD belong together/,
    );
  expect(
    refusal({ ENGINE_URL, ENGINE_USERNAME: "x", ENGINE_PASSWORD: "y", ENGINE_BEARER_TOKEN: "z" }),
  ).toMatch(/^ENGINE_USERNAME and ENGINE_BEARER_TOKEN are both set/);
  expect(refusal({ ENGINE_URL: "http://waybill:hunter2@engine/engine-rest" })).not.toContain("hunter2");
});

test("an instance that is not self-contained requires a way to verify access tokens", () => {
  expect(refusal({ DATABASE_URL: "postgres://db.internal/waybill" })).toMatch(
    /^JWT_SECRET is not set; with DATABASE_URL/,
  );
  expect(parse({ DATABASE_URL: "postgresql://db.internal/waybill", JWT_SECRET: secret }).databaseUrl).toBe(
    "postgresql://db.internal/waybill",
  );
});

test("SECRETS_KEY is one key or several, or empty for none", () => {
  const [a, b] = [secret, `${secret} another`];
  expect(() => parse({ SECRETS_KEY: "a".repeat(32) })).toThrow("SECRETS_KEY has a key that repeats itself");
  expect(parse({ SECRETS_KEY: a }).secretsKeys).toEqual([a]);
  expect(parse({ SECRETS_KEY: `${a}, ${b}` }).secretsKeys).toEqual([a, b]);
  expect(parse({}).secretsKeys).toBeUndefined();
  expect(parse({ SECRETS_KEY: "" }).secretsKeys).toEqual([]);
});

describe("a wrong value is one line that begins with its variable", () => {
  test.each([
    ["PORT", ["-1", "65536", "80.5", "http", "0x50", " 80", "1e3"]],
    ["DATABASE_URL", ["localhost", "mysql://db/waybill"]],
    ["DATABASE_POOL_SIZE", ["3", "201", "7.5", "many"]],
    ["S3_ENDPOINT", ["localhost:9000", "s3://bucket"]],
    ["JWT_SECRET", ["x", "x".repeat(31)]],
    ["JWT_JWKS_URL", ["keys.json", "file:///keys.json"]],
    ["PUBLIC_BASE_URL", ["bank.example", "ftp://bank.example"]],
    ["DOWNLOAD_TOKEN_SECRET", ["short"]],
    ["FORM_TOKEN_SECRET", ["short"]],
    ["SECRETS_KEY", ["short", `${"x".repeat(32)},short`, ","]],
    ["FORM_ATTACHMENT_URL_TTL_SECONDS", ["0", "3601", "1.5", "-1", "15m", "Infinity", "NaN"]],
    ["UPLOAD_MAX_SIZE", ["0", "-1", "10GB", "MB", "2048MB", "1e6", "0.1"]],
    ["DRAFT_MAX_AGE_HOURS", ["-1", "a day", "8761"]],
    ["DRAFT_SWEEP_INTERVAL_SECONDS", ["0", "86401"]],
    ["AUDIT_RETENTION_DAYS", ["29", "30.5", "36501", "never"]],
    ["TABLES_STATEMENT_TIMEOUT_SECONDS", ["0", "51", "1.5", "30s"]],
    ["MEMORY_LIMIT", ["1", "255MB", "2000000000", "2TB", "half"]],
    ["SHUTDOWN_GRACE_SECONDS", ["-1", "601", "5s"]],
    ["SHUTDOWN_DRAIN_SECONDS", ["-1", "3601", "soon"]],
    ["ENGINE_URL", ["engine:8080", "ftp://engine/engine-rest", "http://engine/engine-rest?x=1"]],
    ["ENGINE_TIMEOUT_SECONDS", ["0", "601", "soon"]],
    ["ENGINE_DEPLOYMENTS", ["maybe", "0"]],
    ["OUTBOUND_ALLOW", ["https://core.bank", "10.0.0.0/33", "core:0", "*.bank.internal", "core,a b"]],
    ["TRUSTED_PROXIES", ["10.0.0.0/33", "proxy.internal", "10.0.0.0/8,x"]],
    ["SWAGGER_UI", ["true", "OFF"]],
    ["OPENAPI", ["0", "no"]],
    ["LOG_LEVEL", ["INFO", "verbose"]],
  ] as const)("%s", (name, values) => {
    for (const value of values)
      expect([value, refusal({ [name]: value })]).toEqual([
        value,
        expect.stringMatching(new RegExp(`^${name} [^\\n]+$`)),
      ]);
  });
});

const secretNames = ["JWT_SECRET", "DOWNLOAD_TOKEN_SECRET", "FORM_TOKEN_SECRET"] as const;

test.each([
  ["is well known", "change-me-change-me-change-me-change-me"],
  ["is well known", "Please CHANGE ME before going live 01"],
  ["is well known", "ChangeMe_9f3b1c7a5d2e8f4a6b0c1d3e5f7a9b2c"],
  ["is well known", "a-string-secret-at-least-256-bits-long"],
  ["is well known", "your-256-bit-secret-your-256-bit-secret"],
  ["is well known", "my_super_secret_jwt_key_for_this_server"],
  ["repeats itself", "x".repeat(32)],
  ["repeats itself", "0123456789abcdef0123456789abcdef"],
  ["repeats itself", "k3J9x!pQ".repeat(5)],
  ["repeats itself", `${"7Fq2LmZ0rT4vXw8y".repeat(2)}7Fq2`],
  ["is a sequence", "abcdefghijklmnopqrstuvwxyz0123456789"],
  ["is a sequence", "aaaaaaaabbbbbbbbccccccccddddddddeeee"],
  ["has too few different characters", "01100101110010100110101001011101"],
  ["has too few different characters", "1213231312332113223131213321231223"],
])("a secret that %s is refused in one line without the secret: %s", (why, value) => {
  for (const name of secretNames) {
    const message = refusal({ [name]: value });
    expect(message).toStartWith(`${name} ${why}`);
    expect(message).not.toContain(value);
    expect(message).not.toContain("\n");
  }
});

test("random secrets of 32 characters and more are accepted, in base 16, 64 and 10", () => {
  const digits = () => Array.from(randomBytes(40), (byte) => byte % 10).join("");
  const makers = [() => randomBytes(16).toString("hex"), () => randomBytes(24).toString("base64"), digits];
  for (const make of makers)
    for (let round = 0; round < 500; round++) {
      const JWT_SECRET = make();
      expect(parse({ JWT_SECRET }).accessTokens).toEqual({ kind: "secret", secret: JWT_SECRET });
    }
});

test("two secrets must not be the same", () => {
  for (const [one, other] of [
    ["JWT_SECRET", "DOWNLOAD_TOKEN_SECRET"],
    ["JWT_SECRET", "FORM_TOKEN_SECRET"],
    ["DOWNLOAD_TOKEN_SECRET", "FORM_TOKEN_SECRET"],
  ] as const) {
    const message = refusal({ [one]: secret, [other]: secret });
    expect(message).toBe(`${other} is the same as ${one}; give each of them a different secret`);
    expect(message).not.toContain(secret);
  }
  expect(parse({ JWT_SECRET: "", DOWNLOAD_TOKEN_SECRET: "", FORM_TOKEN_SECRET: secret })).toMatchObject({
    formTokenSecret: secret,
  });
});

test("SWAGGER_UI=off switches off the page, and OPENAPI=off the contract and the page", () => {
  const switches = (environment: Environment) => {
    const { openapi, swaggerUi } = parse(environment);
    return { openapi, swaggerUi };
  };
  expect(switches({})).toEqual({ openapi: true, swaggerUi: true });
  expect(switches({ SWAGGER_UI: "off" })).toEqual({ openapi: true, swaggerUi: false });
  expect(switches({ OPENAPI: "off" })).toEqual({ openapi: false, swaggerUi: false });
});

test("the value of a secret is never repeated", () => {
  const value = "hunter2";
  for (const name of ["JWT_SECRET", "DOWNLOAD_TOKEN_SECRET", "FORM_TOKEN_SECRET", "SECRETS_KEY"])
    expect(refusal({ [name]: value })).not.toContain(value);
  expect(refusal({ DATABASE_URL: `mysql://root:${value}@db/waybill` })).not.toContain(value);
});
