/**
 * Access tokens: JWTs of the platform. @elysiajs/jwt verifies them with a shared secret (HS256) or with the key set
 * that the platform publishes (RS256, ES256, EdDSA). See docs/decisions/identity.md.
 *
 * A verified token is remembered for half a minute, so that not every request costs a signature check. Its expiry is
 * checked each time. A fetched key set is also used for half a minute, so a removed key is accepted for one minute at
 * most. While the key set cannot be fetched, its last keys work for ten minutes.
 */
import { jwt } from "@elysiajs/jwt";
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  type JWKSCacheInput,
  type JWTVerifyGetKey,
  jwksCache,
} from "jose";
import { LRUCache } from "lru-cache";
import Type from "typebox";
import { Compile } from "typebox/compile";
import type { AccessTokenConfig } from "../config.ts";
import { Problem } from "../problem.ts";

const Claims = Type.Object({
  sub: Type.String({ minLength: 1, maxLength: 255 }),
  name: Type.Optional(Type.String()),
  exp: Type.Number(),
  /** The id by which a token is revoked. */
  jti: Type.Optional(Type.Unknown()),
  tenants: Type.Array(
    Type.Object({
      // JSON.parse has already rounded a larger id, perhaps to the id of another tenant.
      id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
      slug: Type.String({ minLength: 1, maxLength: 255 }),
      roles: Type.Array(Type.String()),
      /** The user's groups in this tenant. User tasks name groups as their candidates. */
      groups: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { maxItems: 1_000 })),
    }),
  ),
});
export type Claims = Type.Static<typeof Claims>;

export interface AccessTokens {
  /** The claims of a valid token. Undefined for any other. Throws `identity_unavailable` if there are no keys. */
  verify(token: string): Promise<Claims | undefined>;
  /** Signs a token with the shared secret, and adds a new `jti`. Throws if the platform has the keys. */
  sign(claims: Omit<Claims, "exp" | "jti">, options: { ttlSeconds: number }): Promise<string>;
}

export interface AccessTokenOptions {
  readonly keys: AccessTokenConfig;
  readonly issuer?: string | undefined;
  readonly audience?: string | undefined;
  readonly fetch: typeof fetch;
  readonly now: () => Date;
}

/** Longer than any real token. A longer one is refused without reading it. */
const maxTokenLength = 8_192;
const rememberedMs = 30_000;
const checkClaims = Compile(Claims);

export function createAccessTokens(options: AccessTokenOptions): AccessTokens {
  const { keys, now } = options;
  const { sign, verifySignature } = createSigner(options);
  const remembered = new LRUCache<string, Claims>({
    max: 5_000,
    ttl: rememberedMs,
    perf: { now: () => now().getTime() },
  });
  return {
    verify: async (token) => {
      if (token.length > maxTokenLength) return undefined;
      const known = remembered.get(token);
      const claims = known ?? (await verifySignature(token));
      if (claims && !known) remembered.set(token, claims);
      return claims && claims.exp * 1000 > now().getTime() ? claims : undefined;
    },
    sign: async (claims, { ttlSeconds }) => {
      if (keys.kind !== "secret")
        throw new Error("JWT_JWKS_URL is set: only the platform that has the keys can issue tokens");
      const exp = Math.floor(now().getTime() / 1000) + ttlSeconds;
      return sign({ ...claims, jti: crypto.randomUUID(), exp } as never);
    },
  };
}

/** Signs and verifies with the configured keys. Remembers no token. */
function createSigner({ keys, issuer, audience, fetch, now }: AccessTokenOptions) {
  const keySet = keys.kind === "jwks" ? remoteKeys(keys.url, fetch) : undefined;
  const secret = keys.kind === "secret" ? keys.secret : (keySet?.find as unknown as string);
  const { sign, verify } = jwt({
    name: "jwt",
    secret,
    ...(issuer === undefined ? {} : { iss: issuer }),
    ...(audience === undefined ? {} : { aud: audience }),
  }).decorator.jwt;

  const verifySignature = async (token: string): Promise<Claims | undefined> => {
    const payload: unknown = await verify(token, {
      algorithms: keys.kind === "secret" ? ["HS256"] : ["RS256", "ES256", "EdDSA", "Ed25519"],
      requiredClaims: ["exp", "sub"],
      currentDate: now(),
      ...(issuer === undefined ? {} : { issuer }),
      ...(audience === undefined ? {} : { audience }),
    });
    if (keySet?.wasAway(token))
      throw new Problem("identity_unavailable", { headers: { "Retry-After": "5" } });
    return checkClaims.Check(payload) && wellFormed(payload) ? payload : undefined;
  };
  return { sign, verifySignature };
}

/** These texts go into the database and the log, which cannot hold every character. */
const wellFormed = ({ sub, tenants }: Claims) =>
  [sub, ...tenants.flatMap(({ slug, groups = [] }) => [slug, ...groups])].every(
    (text) => text.isWellFormed() && !text.includes("\0"),
  );

/** How long fetched keys are fresh, and how long they are used if newer ones cannot be fetched. */
const keySetMs = { fresh: 30_000, usable: 600_000 };

/**
 * The platform's key set. It is fetched when it is first needed, again every half minute, and whenever a token names a
 * key that is not in it (at most every five seconds). The jwt plugin turns every failure into "not valid". `wasAway`
 * tells whether the key set failed and not the token.
 */
function remoteKeys(url: URL, fetch: typeof globalThis.fetch) {
  const last: JWKSCacheInput = {};
  const keySet = createRemoteJWKSet(url, {
    cooldownDuration: 5_000,
    cacheMaxAge: keySetMs.fresh,
    timeoutDuration: 5_000,
    [customFetch]: fetch,
    [jwksCache]: last,
  });
  const findInLast: JWTVerifyGetKey = async (header, token) => {
    const { jwks, uat = 0 } = last;
    const usable = jwks && Date.now() - uat < keySetMs.usable;
    return createLocalJWKSet(usable ? jwks : { keys: [] })(header, token);
  };
  const away = new Set<string>();
  const find: JWTVerifyGetKey = async (header, token) => {
    try {
      return await keySet(header, token);
    } catch (error) {
      if (blamesToken(error)) throw error;
      try {
        return await findInLast(header, token);
      } catch {
        away.add(token.signature);
        throw error;
      }
    }
  };
  return { find, wasAway: (token: string) => away.delete(token.slice(token.lastIndexOf(".") + 1)) };
}

const blamesToken = (error: unknown) =>
  error instanceof errors.JWKSNoMatchingKey ||
  error instanceof errors.JWKSMultipleMatchingKeys ||
  error instanceof errors.JOSENotSupported;
