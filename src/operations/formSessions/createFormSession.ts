import { findEmbed } from "../../forms/embeds.ts";
import type { Handler } from "../../handler.ts";
import { Problem } from "../../infrastructure/problem.ts";

/** How much time a visitor has for the form. */
const sessionSeconds = 4 * 60 * 60;

export const createFormSession: Handler<"createFormSession"> = async ({ body }, { sql, formTokens }) => {
  if (!formTokens) throw new Problem("not_configured", { message: "This server has no public forms." });
  const embed = await findEmbed(sql, body.embed_id);
  if (!embed) throw new Problem("embed_not_found");
  const session = await formTokens.begin(embed, { ttlSeconds: sessionSeconds });
  return { status: 201, body: { form_token: session.token, expires_at: session.expiresAt.toISOString() } };
};
