/** Issues signed download URLs, one for each occurrence of an attachment. All of them are stored in one statement. */

import type { DownloadUrl } from "../../generated/schemas.ts";
import type { Sql } from "../../infrastructure/database/connect.ts";
import type { Infrastructure } from "../../infrastructure/infrastructure.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { notCommitted } from "./commit.ts";
import { type IssuedToken, issueToken } from "./downloadTokens.ts";
import { insertTokens } from "./tokenQueries.ts";

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
  const signing = { sql, issue, secret: downloadTokenSecret, ttlSeconds: downloadUrlTtlSeconds };
  const { tokens, expiresAt } = await storedTokens(signing);
  return tokens.map(({ attachmentId, token }) => ({
    attachment_id: attachmentId,
    url: `${publicBaseUrl}${downloadPath(attachmentId)}?token=${token}`,
    expires_at: expiresAt.toISOString(),
  }));
}

interface Signing {
  readonly sql: Sql;
  readonly issue: Issue;
  readonly secret: string;
  readonly ttlSeconds: number;
}

interface Signed extends IssuedToken {
  readonly attachmentId: string;
}

/** How much the expiry may be off, in seconds. */
const toleranceSeconds = 0.5;
const mostTries = 3;

/**
 * The signature covers the expiry, so it must be known first. This process's clock is asked, and the database refuses
 * what is wrong by its own and answers with the right expiry. Only a slow answer can make that wrong again.
 */
async function storedTokens({ sql, issue, secret, ttlSeconds }: Signing) {
  const { tenantId, processInstanceId, relatedInstances = [], serviceTaskId = null } = issue;
  let expiresAt = new Date(Date.now() + ttlSeconds * 1000);
  for (let tries = 1; ; tries++) {
    const tokens = issue.attachmentIds.map((id): Signed => {
      const attachmentId = id.toLowerCase();
      return { attachmentId, ...issueToken(secret, { attachmentId, tenantId, expiresAt }) };
    });
    const stored = tokens.map(({ attachmentId, digest }) => ({ attachmentId, digest }));
    const { unfit, dueExpiry } = await insertTokens(sql, stored, {
      tenantId,
      processInstanceId,
      relatedInstances,
      serviceTaskId,
      expiresAt,
      ttlSeconds,
      toleranceSeconds: tries < mostTries ? toleranceSeconds : slowestAnswerSeconds,
    });
    if (unfit.length > 0) throw notCommitted(unfit);
    if (!dueExpiry) return { tokens, expiresAt };
    expiresAt = dueExpiry;
  }
}

/** A statement that takes longer fails. */
const slowestAnswerSeconds = 60;

export const downloadPath = (attachmentId: string) =>
  `/api/v1/probis/public/form-attachments/${attachmentId}/download`;

export const cannotIssue = () =>
  new Problem("not_configured", { message: "This server is not configured to issue download URLs." });
