import { randomBytes } from "node:crypto";
import { embedUrl, insertEmbed } from "../../forms/embeds.ts";
import type { Handler } from "../../handler.ts";
import { recordSuccess } from "../../tenants/audit.ts";

/** The id has 128 random bits, so nobody finds the form by guessing. */
export const createEmbed: Handler<"createEmbed"> = async (
  { body, caller, requestId },
  { sql, config, log },
) => {
  const id = randomBytes(16).toString("base64url");
  const { tenant, subject } = caller;
  const { process_key: processKey, allowed_origins: allowedOrigins = [] } = body;
  const origins = allowedOrigins.join(" ") || "none";
  await sql.begin(async (tx) => {
    await insertEmbed(tx, { id, tenantId: tenant.id, processKey, createdBy: subject, allowedOrigins });
    await recordSuccess(tx, {
      tenantId: tenant.id,
      actor: subject,
      action: "create_embed",
      table: undefined,
      statement: `create embed ${id} of process ${processKey}, allowed origins: ${origins}`,
      affectedRows: null,
      requestId,
    });
  });
  log.info({ tenant_id: tenant.id, actor: subject, embed_id: id, process_key: processKey }, "Embed created");
  return { status: 201, body: { embed_id: id, url: embedUrl(config, id) } };
};
