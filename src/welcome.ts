/** What a newcomer needs on the first screen: where to look, a token, and a request that works when pasted. */
import type { AccessTokens } from "./identity/accessTokens.ts";

/** The tenant that an instance with nothing configured comes with (design 4). */
export const demoTenant = { id: 1, slug: "demo" } as const;

const tokenDays = 30;

export async function welcome(url: URL, accessTokens: AccessTokens): Promise<void> {
  const claims = {
    sub: "admin",
    name: "Demo administrator",
    tenants: [{ ...demoTenant, roles: ["admin_sop"] }],
  };
  const token = await accessTokens.sign(claims, { ttlSeconds: tokenDays * 24 * 60 * 60 });
  const tables = `${url.origin}/api/v1/report/${demoTenant.id}/schema/tables`;
  console.log(`
Waybill is ready.

  Swagger UI   ${url.origin}/swagger
  Token        of an administrator of tenant ${demoTenant.id} (${demoTenant.slug}), valid for ${tokenDays} days:

${token}

Paste this to make a table:

curl -X POST ${tables} \\
  -H 'Authorization: Bearer ${token}' \\
  -H 'Content-Type: application/json' \\
  -d '{"name":"customers","columns":[{"name":"full_name","type":"text"}]}'
`);
}
