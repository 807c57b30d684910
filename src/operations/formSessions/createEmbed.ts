import { randomBytes } from "node:crypto";
import { insertEmbed } from "../../forms/embeds.ts";
import { embedUrl } from "../../forms/embedUrl.ts";
import type { Handler } from "../../handler.ts";
import { recordSuccess } from "../../tenants/audit.ts";

/** The id is what keeps the form from being found by chance: 128 random bits. */
export const createEmbed: Handler<"createEmbed"> = async (
  { body, caller, requestId },
  { sql, config, log },
) => {
  const id = randomBytes(16).toString("base64url");
  const { tenant, subject } = caller;
  const { process_key: processKey, allowed_origins: allowedOrigins = [] } = body;
  await sql.begin(async (tx) => {
    await insertEmbed(tx, { id, tenantId: tenant.id, processKey, createdBy: subject, allowedOrigins });
    await recordSuccess(tx, {
      tenantId: tenant.id,
      actor: subject,
      action: "create_embed",
      table: undefined,
      statement: `create embed ${id} of process ${processKey}, allowed origins: ${allowedOrigins.join(" ") || "none"}`,
      affectedRows: null,
      requestId,
    });
  });
  log.info(
    { tenant_id: tenant.id, actor: subject, embed_id: id, process_key: processKey },
    "an embed was made",
  );
  return { status: 201, body: { embed_id: id, url: embedUrl(config, id) } };
};
