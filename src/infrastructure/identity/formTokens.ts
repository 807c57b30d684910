/**
 * Form session tokens: JWTs with their own purpose and secret, so that no other token can pass for one. A platform that
 * shares the secret may make its own. See docs/decisions/identity.md.
 */
import { randomBytes } from "node:crypto";
import { jwt } from "@elysiajs/jwt";
import Type from "typebox";
import { Compile } from "typebox/compile";
import { unstorable } from "../json.ts";

const Claims = Type.Object({
  purpose: Type.Literal("form_session"),
  /** The id of the session, which quotas and drafts belong to. */
  sid: Type.String({ minLength: 1, maxLength: 255 }),
  tenant: Type.Object({
    id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    slug: Type.String({ minLength: 1, maxLength: 255 }),
  }),
  process_key: Type.String({ minLength: 1, maxLength: 255 }),
  /** The embed where the visitor came in. The session ends with it. A platform's own tokens have none. */
  embed_id: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  exp: Type.Number(),
});
type Claims = Type.Static<typeof Claims>;

export interface VerifiedFormToken {
  readonly sessionId: string;
  readonly tenant: { readonly id: number; readonly slug: string };
  readonly processKey: string;
  /** The embed where the session began. */
  readonly embedId?: string | undefined;
  readonly expiresAt: Date;
}

export interface FormTokens {
  /** Undefined if the token is not a form session token that is valid now. */
  verify(token: string): Promise<VerifiedFormToken | undefined>;
  begin(
    form: Pick<VerifiedFormToken, "tenant" | "processKey" | "embedId">,
    options: { ttlSeconds: number },
  ): Promise<{ token: string; expiresAt: Date }>;
}

const checkClaims = Compile(Claims);

export function createFormTokens({ secret, now }: { secret: string; now: () => Date }): FormTokens {
  const { sign, verify } = jwt({ name: "formToken", secret }).decorator.formToken;
  return {
    verify: async (token) => {
      const options = { algorithms: ["HS256"], requiredClaims: ["exp"], currentDate: now() };
      const claims: unknown = await verify(token, options);
      return checkClaims.Check(claims) && isStorable(claims) ? describe(claims) : undefined;
    },
    begin: async ({ tenant, processKey, embedId }, { ttlSeconds }) => {
      const exp = Math.floor(now().getTime() / 1000) + ttlSeconds;
      const sid = randomBytes(16).toString("base64url");
      const token = await sign({
        purpose: "form_session",
        sid,
        tenant,
        process_key: processKey,
        embed_id: embedId,
        exp,
      } as never);
      return { token, expiresAt: new Date(exp * 1000) };
    },
  };
}

const describe = ({ sid, tenant, process_key, embed_id, exp }: Claims): VerifiedFormToken => ({
  sessionId: sid,
  tenant,
  processKey: process_key,
  embedId: embed_id,
  expiresAt: new Date(exp * 1000),
});

const isStorable = ({ sid, tenant, process_key, embed_id = "" }: Claims) =>
  [sid, tenant.slug, process_key, embed_id].every((text) => unstorable(text) === undefined);
