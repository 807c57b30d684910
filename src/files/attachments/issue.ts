/** Signed download URLs, one for each occurrence, in one statement (reference 4 and 7; design 8). */

import type { DownloadUrl } from "../../generated/schemas.ts";
import type { Infrastructure } from "../../infrastructure/infrastructure.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { notCommitted } from "./commit.ts";
import { issueToken } from "./downloadTokens.ts";
import { insertTokens, momentIn } from "./queries.ts";

export interface Issue {
  readonly tenantId: number;
  readonly processInstanceId: string;
  /** One entry for each URL. */
  readonly attachmentIds: readonly string[];
  /** The service task that they are for, if Waybill itself carries it out. */
  readonly serviceTaskId?: string;
}

/**
 * URLs in the order of the ids. Throws `not_configured` where the instance has no public address or no secret, and
 * `not_committed` where an attachment is not committed to the process instance.
 */
export async function issueDownloadUrls(
  { sql, config }: Infrastructure,
  issue: Issue,
): Promise<DownloadUrl[]> {
  const { publicBaseUrl, downloadTokenSecret, downloadUrlTtlSeconds } = config;
  if (publicBaseUrl === undefined || downloadTokenSecret === undefined) throw cannotIssue();
  const { tenantId, processInstanceId, serviceTaskId = null } = issue;
  // Asked for first, since the signature covers it: by this process's clock a URL could be born dead, or live too long.
  const expiresAt = await momentIn(sql, downloadUrlTtlSeconds);
  const tokens = issue.attachmentIds.map((id) => {
    const attachmentId = id.toLowerCase();
    return { attachmentId, ...issueToken(downloadTokenSecret, { attachmentId, tenantId, expiresAt }) };
  });
  const stored = tokens.map(({ attachmentId, digest }) => ({ attachmentId, digest }));
  const unfit = await insertTokens(sql, stored, {
    tenantId,
    processInstanceId,
    expiresAt,
    serviceTaskId,
  });
  if (unfit.length > 0) throw notCommitted(unfit);
  return tokens.map(({ attachmentId, token }) => ({
    attachment_id: attachmentId,
    url: `${publicBaseUrl}${downloadPath(attachmentId)}?token=${token}`,
    expires_at: expiresAt.toISOString(),
  }));
}

export const downloadPath = (attachmentId: string) =>
  `/api/v1/probis/public/form-attachments/${attachmentId}/download`;

export const cannotIssue = () =>
  new Problem("not_configured", { message: "This instance is not configured to issue download URLs." });
