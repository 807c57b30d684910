/** What a first start prints: the address of Swagger UI, a token, and a request that works when pasted. */
import ipaddr from "ipaddr.js";
import type { Config } from "./infrastructure/config.ts";
import type { AccessTokens } from "./infrastructure/identity/accessTokens.ts";

/** The tenant in the token that a self-contained instance prints. */
export const demoTenant = { id: 1, slug: "demo" } as const;

/** Short, because the token is on a screen, and perhaps in a log. */
const tokenSeconds = 60 * 60;
const tokenCommand = `bun run token --tenant ${demoTenant.id} --slug ${demoTenant.slug} --user admin --role admin_sop`;

/** Prints a token only if no other machine can reach the server. `url` is where the server listens. */
export async function welcome(url: URL, config: Config, accessTokens: AccessTokens): Promise<void> {
  const lines = ["", "Waybill is ready.", ""];
  if (config.swaggerUi) lines.push(`  Swagger UI   ${url.origin}/swagger`);
  lines.push(...(await tokenLines(url, config, accessTokens)));
  console.log(lines.join("\n"));
}

async function tokenLines(url: URL, { host, accessTokens: keys }: Config, accessTokens: AccessTokens) {
  if (keys?.kind !== "secret")
    return ["  Token        from the platform that publishes the key set of JWT_JWKS_URL", ""];
  if (!isLoopback(host))
    return [
      "  Token        not printed, because HOST is not a loopback address. This command prints one:",
      "",
      tokenCommand,
      "",
    ];
  const claims = {
    sub: "admin",
    name: "Demo administrator",
    tenants: [{ ...demoTenant, roles: ["admin_sop"] }],
  };
  const token = await accessTokens.sign(claims, { ttlSeconds: tokenSeconds });
  return [
    `  Token        of an administrator of tenant ${demoTenant.id} (${demoTenant.slug}), valid for one hour:`,
    "",
    token,
    "",
    "This command prints another one:",
    "",
    tokenCommand,
    "",
    "This request creates a table:",
    "",
    `curl -X POST ${url.origin}/api/v1/report/${demoTenant.id}/schema/tables \\`,
    `  -H 'Authorization: Bearer ${token}' \\`,
    "  -H 'Content-Type: application/json' \\",
    `  -d '{"name":"customers","columns":[{"name":"full_name","type":"text"}]}'`,
    "",
  ];
}

/** Whether only programs on this machine can reach the address. False for every name except localhost. */
export function isLoopback(host: string): boolean {
  if (host === "localhost") return true;
  return ipaddr.isValid(host) && ipaddr.process(host).range() === "loopback";
}
