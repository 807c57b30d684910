/**
 * Access tokens: JWTs of the platform, verified by @elysiajs/jwt with a shared secret (HS256) or with the key set
 * that the platform publishes (RS256, ES256, EdDSA) (design 5).
 *
 * A verified token is remembered for half a minute, so that a request costs no signature check; its expiry is looked
 * at each time all the same. A fetched key set is good for half a minute as well: so a key that is taken out of it is
 * honoured for a minute at most. While the key set cannot be had, its keys go on working for ten.
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
  /** What a revocation names the token by. */
  jti: Type.Optional(Type.Unknown()),
  tenants: Type.Array(
    Type.Object({
      // A larger one has been rounded already, to another tenant's perhaps.
      id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
      slug: Type.String({ minLength: 1, maxLength: 255 }),
      roles: Type.Array(Type.String()),
    }),
  ),
});
export type Claims = Type.Static<typeof Claims>;

export interface AccessTokens {
  /** The claims of a valid token; undefined for any other. Throws `identity_unavailable` where the keys cannot be had. */
  verify(token: string): Promise<Claims | undefined>;
  /** A token signed with the shared secret, with a `jti` of its own. Throws where the keys are the platform's. */
  sign(claims: Omit<Claims, "exp" | "jti">, options: { ttlSeconds: number }): Promise<string>;
}

export interface AccessTokenOptions {
  readonly keys: AccessTokenConfig;
  readonly issuer?: string | undefined;
  readonly audience?: string | undefined;
  readonly fetch: typeof fetch;
  readonly now: () => Date;
}

/** Longer than any honest token; a longer one is refused unread. */
const maxTokenLength = 8_192;
const rememberedMs = 30_000;
const checkClaims = Compile(Claims);

export function createAccessTokens({ keys, issuer, audience, fetch, now }: AccessTokenOptions): AccessTokens {
  const remembered = new LRUCache<string, Claims>({
    max: 5_000,
    ttl: rememberedMs,
    perf: { now: () => now().getTime() },
  });
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
        throw new Error("tokens are issued by the platform whose key set is configured");
      const exp = Math.floor(now().getTime() / 1000) + ttlSeconds;
      return sign({ ...claims, jti: crypto.randomUUID(), exp } as never);
    },
  };
}

/** Text that goes into the database and into logs: nothing that they cannot hold. */
const wellFormed = ({ sub, tenants }: Claims) =>
  [sub, ...tenants.map(({ slug }) => slug)].every((text) => text.isWellFormed() && !text.includes("\0"));

/** How long fetched keys are good, and how long they are used where newer ones cannot be had. */
const keySetMs = { fresh: 30_000, usable: 600_000 };

/**
 * The platform's key set, fetched when first needed, again every half minute and whenever a token names a key that
 * is not in it (at most every five seconds). The jwt plugin turns every failure into "not valid"; `wasAway` tells
 * whether it was the key set that failed and not the token.
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
