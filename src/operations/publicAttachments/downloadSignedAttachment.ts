import type { Deps } from "../../deps.ts";
import { digestOf, isSigned } from "../../files/attachments/downloadTokens.ts";
import { cannotIssue } from "../../files/attachments/issue.ts";
import { attachments, findAttachment } from "../../files/attachments/queries.ts";
import { useToken } from "../../files/attachments/tokenQueries.ts";
import { fileHeaders, openFile, reserveSpace } from "../../files/download.ts";
import type { Handler } from "../../handler.ts";
import { Problem } from "../../infrastructure/problem.ts";

/**
 * The five refusals (missing, wrong signature, expired, used, other file) take the same steps and give the same answer.
 * Once the token is used, it stays used, whatever happens afterwards.
 */
export const downloadSignedAttachment: Handler<"downloadSignedAttachment"> = async (
  { params, query },
  deps,
) => {
  const { downloadTokenSecret, publicBaseUrl } = deps.config;
  if (downloadTokenSecret === undefined || publicBaseUrl === undefined) throw cannotIssue();
  const attachmentId = params.attachment_id.toLowerCase();
  const attachment = await findAttachment(deps.sql, null, attachmentId);
  const headers = attachment && fileHeaders(attachment);
  // Takes room before the token: without room to fetch the file, the link has to work later.
  const release = attachment ? await reserveSpace(deps, attachment) : () => {};
  try {
    const used = await use(deps, { token: query.token ?? "", attachmentId, secret: downloadTokenSecret });
    if (!used)
      throw new Problem("download_refused", {
        message: "The download link is invalid, expired or already used.",
      });
    if (!attachment || !headers) throw new Problem("attachment_not_found");
    const options = { kind: attachments, notFound: "attachment_not_found", release } as const;
    return { status: 200, headers, body: await openFile(deps, attachment, options) };
  } catch (error) {
    release();
    throw error;
  }
};

/** Uses the token in the database, and compares the signature whether or not that succeeds. */
async function use(
  { sql }: Deps,
  { token, attachmentId, secret }: { token: string; attachmentId: string; secret: string },
): Promise<boolean> {
  const row = await useToken(sql, digestOf(token), attachmentId);
  const scope = { attachmentId, tenantId: row?.tenantId ?? 0, expiresAt: row?.expiresAt ?? new Date(0) };
  return isSigned(secret, token, scope) && row !== undefined;
}
