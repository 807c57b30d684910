/** Tokens as a platform, or a forger, would sign them. */
import { type JWTPayload, SignJWT } from "jose";
import type { Claims } from "../../../src/infrastructure/identity/accessTokens.ts";

export const tablesPath = "/api/v1/report/1/schema/tables";

/** Claims of an administrator of tenant 1, valid for ten minutes. */
export const claims = (over: JWTPayload = {}): JWTPayload & Partial<Claims> => ({
  sub: "alice",
  tenants: [{ id: 1, slug: "tenant-1", roles: ["admin_sop"] }],
  exp: Math.floor(Date.now() / 1000) + 600,
  ...over,
});

export type SigningKey = Parameters<SignJWT["sign"]>[0];

export const signed = (payload: JWTPayload, alg: string, { key, kid }: { key: SigningKey; kid?: string }) =>
  new SignJWT(payload).setProtectedHeader({ alg, ...(kid === undefined ? {} : { kid }) }).sign(key);
