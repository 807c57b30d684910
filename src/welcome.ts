/** What a newcomer needs on the first screen: where to look, a token, and a request that works when pasted. */
import ipaddr from "ipaddr.js";
import type { Config } from "./infrastructure/config.ts";
import type { AccessTokens } from "./infrastructure/identity/accessTokens.ts";

/** The tenant that an instance with nothing configured comes with. */
export const demoTenant = { id: 1, slug: "demo" } as const;

/** Long enough to look around. It is on a screen, and perhaps in a log. */
const tokenSeconds = 60 * 60;
const tokenCommand = `bun run token --tenant ${demoTenant.id} --slug ${demoTenant.slug} --user admin --role admin_sop`;

/** Prints a token only where nobody but this machine can use it. `url` is where the server listens. */
export async function welcome(url: URL, config: Config, accessTokens: AccessTokens): Promise<void> {
  const lines = ["", "Waybill is ready.", ""];
  if (config.swaggerUi) lines.push(`  Swagger UI   ${url.origin}/swagger`);
  lines.push(...(await tokenLines(url, config, accessTokens)));
  console.log(lines.join("\n"));
}

async function tokenLines(url: URL, { host, accessTokens: keys }: Config, accessTokens: AccessTokens) {
  if (keys?.kind !== "secret") return ["  Token        of the platform whose key set is configured", ""];
  if (!isLoopback(host))
    return [
      "  Token        none is printed, since HOST is not a loopback address. This makes one:",
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
    `  Token        of an administrator of tenant ${demoTenant.id} (${demoTenant.slug}), valid for an hour:`,
    "",
    token,
    "",
    "This makes another one:",
    "",
    tokenCommand,
    "",
    "Paste this to make a table:",
    "",
    `curl -X POST ${url.origin}/api/v1/report/${demoTenant.id}/schema/tables \\`,
    `  -H 'Authorization: Bearer ${token}' \\`,
    "  -H 'Content-Type: application/json' \\",
    `  -d '{"name":"customers","columns":[{"name":"full_name","type":"text"}]}'`,
    "",
  ];
}

/** Whether only programs of this machine reach the address. A name other than localhost may mean anything. */
export function isLoopback(host: string): boolean {
  if (host === "localhost") return true;
  return ipaddr.isValid(host) && ipaddr.process(host).range() === "loopback";
}
