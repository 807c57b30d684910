/** `bun run token --tenant 1 --slug demo --user alice --role admin_sop` prints one signed access token. */
import { parseArgs } from "node:util";
import { ConfigError, parseConfig } from "../infrastructure/config.ts";
import { createAccessTokens } from "../infrastructure/identity/accessTokens.ts";
import { knownRoles } from "../infrastructure/identity/roles.ts";
import { completeConfig } from "../wire.ts";

const usage =
  "usage: bun run token --tenant <id> --slug <slug> --user <name> " +
  "--role <admin_sop|member|engine> [--role …] [--group <name> …] [--ttl <seconds>]";

async function token(args: readonly string[]): Promise<string> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      tenant: { type: "string" },
      slug: { type: "string" },
      user: { type: "string" },
      role: { type: "string", multiple: true },
      group: { type: "string", multiple: true },
      ttl: { type: "string", default: "86400" },
    },
  });
  const { slug, user, role = [], group: groups } = values;
  const id = Number(values.tenant);
  const ttlSeconds = Number(values.ttl);
  const known = role.length > 0 && role.every((name) => knownRoles.includes(name));
  const named = (groups ?? []).every((name) => name !== "" && name.length <= 255);
  if (!Number.isSafeInteger(id) || id < 1 || !slug || !user || !known || !named || !(ttlSeconds > 0))
    throw new ConfigError(usage);
  const { accessTokens: keys, ...config } = await completeConfig(parseConfig(process.env, process.cwd()));
  if (!keys) throw new ConfigError("JWT_SECRET is not set; set it to the secret of the server");
  const now = () => new Date();
  const tokens = createAccessTokens({
    keys,
    issuer: config.jwtIssuer,
    audience: config.jwtAudience,
    fetch,
    now,
  });
  const membership = { id, slug, roles: role, ...(groups ? { groups } : {}) };
  return tokens.sign({ sub: user, tenants: [membership] }, { ttlSeconds });
}

try {
  console.log(await token(process.argv.slice(2)));
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : `${(error as Error).message}\n${usage}`);
  process.exit(1);
}
