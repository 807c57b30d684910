/** Issues signed download URLs, one for each occurrence of an attachment. All of them are stored in one statement. */

import type { DownloadUrl } from "../../generated/schemas.ts";
import type { Infrastructure } from "../../infrastructure/infrastructure.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { notCommitted } from "./commit.ts";
import { issueToken } from "./downloadTokens.ts";
import { databaseTimeIn, insertTokens } from "./tokenQueries.ts";

export interface Issue {
  readonly tenantId: number;
  readonly processInstanceId: string;
  /** One entry for each URL. */
  readonly attachmentIds: readonly string[];
  /** Instances besides this one to which an attachment may be bound. */
  readonly relatedInstances?: readonly string[] | undefined;
  /** The service task that sends the URLs, if Waybill itself runs it. */
  readonly serviceTaskId?: string;
}

/**
 * Returns the URLs in the order of the ids. Throws `not_configured` if Waybill has no public address or no secret for
 * URLs, and `not_committed` if an attachment is not committed to one of the process instances.
 */
export async function issueDownloadUrls(
  { sql, config }: Infrastructure,
  issue: Issue,
): Promise<DownloadUrl[]> {
  const { publicBaseUrl, downloadTokenSecret, downloadUrlTtlSeconds } = config;
  if (publicBaseUrl === undefined || downloadTokenSecret === undefined) throw cannotIssue();
  const { tenantId, processInstanceId, relatedInstances = [], serviceTaskId } = issue;
  // The signature covers the expiry, so it must be known first. A wrong clock of this process must not change it.
  const expiresAt = await databaseTimeIn(sql, downloadUrlTtlSeconds);
  const tokens = issue.attachmentIds.map((id) => {
    const attachmentId = id.toLowerCase();
    return { attachmentId, ...issueToken(downloadTokenSecret, { attachmentId, tenantId, expiresAt }) };
  });
  const stored = tokens.map(({ attachmentId, digest }) => ({ attachmentId, digest }));
  const unfit = await insertTokens(sql, stored, {
    tenantId,
    processInstanceId,
    relatedInstances,
    expiresAt,
    serviceTaskId: serviceTaskId ?? null,
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
  new Problem("not_configured", { message: "This server is not configured to issue download URLs." });
