/** Replaces download tokens and secrets in the answers of receivers, and in our own messages about them. */

import { withoutTokens } from "../../files/attachments/downloadTokens.ts";
import type { Infrastructure } from "../../infrastructure/infrastructure.ts";
import { WorkTimeout } from "../../infrastructure/workers/workers.ts";
import { formsOf, type Hidden, withoutHidden } from "./hidden.ts";
import { concealInThread } from "./requestWork.ts";

export interface Confidential {
  /** The values of the secrets in the request, by name. */
  readonly secrets: Readonly<Record<string, string>>;
  /** The request's host and origin if a secret decides them. */
  readonly hiddenHost: readonly string[];
}

/** Characters of the text times forms of the secrets. Above it another thread searches: a receiver can make it slow. */
const inlineCharacters = 256 * 1024;

/**
 * The text with `[token]` and `[secret]` in the places of download tokens and secrets. Only `[secret]` if the search
 * takes too long.
 */
export async function conceal(
  text: string,
  { secrets, hiddenHost }: Confidential,
  { tenantId, deps }: { readonly tenantId: number; readonly deps: Infrastructure },
): Promise<string> {
  const hidden = hiddenIn(secrets, hiddenHost);
  const plain = withoutTokens(text);
  if (plain.length * hidden.length <= inlineCharacters) return withoutHidden(plain, hidden);
  try {
    return await deps.workers.run(concealInThread, { text: plain, hidden }, String(tenantId));
  } catch (error) {
    deps.log.warn({ err: error }, "Answer shortened or discarded: the search for secrets failed");
    if (error instanceof WorkTimeout) return "[secret]";
    return withoutHidden(plain.slice(0, 1_000), hidden);
  }
}

function hiddenIn(secrets: Confidential["secrets"], hiddenHost: readonly string[]): Hidden[] {
  const hosts = hiddenHost.map((text) => ({ text, mark: "[secret]" }));
  return [...Object.values(secrets).flatMap(formsOf), ...hosts].sort((a, b) => b.text.length - a.text.length);
}
