import { metadataOf } from "../../files/attachments/attachment.ts";
import { maxSessionFiles } from "../../files/attachments/draft.ts";
import { findSessionDrafts, sessionUsage } from "../../files/attachments/sessionQueries.ts";
import { allowedExtensions } from "../../files/content/allowedTypes.ts";
import type { Handler } from "../../handler.ts";
import { Problem } from "../../infrastructure/problem.ts";

/** Everything that a form's page needs, also after a reload. */
export const getStartForm: Handler<"getStartForm"> = async ({ caller }, { sql, config, engine }) => {
  const { id, tenant, processKey, expiresAt } = caller;
  const definition = await engine.findDefinition(tenant, processKey);
  if (!definition) throw new Problem("process_not_found");
  const { files, size } = await sessionUsage(sql, { id, tenantId: tenant.id });
  const maxTotal = 2 * config.uploadMaxBytes;
  const drafts = await findSessionDrafts(sql, tenant.id, id);
  return {
    status: 200,
    body: {
      process_key: processKey,
      name: definition.name,
      form: definition.start_form,
      expires_at: expiresAt.toISOString(),
      limits: {
        extensions: [...allowedExtensions],
        max_file_bytes: config.uploadMaxBytes,
        max_files: maxSessionFiles,
        max_total_bytes: maxTotal,
        files_left: Math.max(0, maxSessionFiles - files),
        bytes_left: Math.max(0, maxTotal - size),
      },
      drafts: drafts.map(({ fieldName, uploadedAt, ...draft }) => ({
        field_name: fieldName,
        metadata: metadataOf(draft, uploadedAt),
      })),
      process_instance_id: (await engine.findStarted(tenant, id))?.processInstanceId ?? null,
    },
  };
};
