/** Cuts out of what receivers say, and of our own sentences about them, what nobody else may know. */

import { withoutTokens } from "../../files/attachments/downloadTokens.ts";
import type { Infrastructure } from "../../infrastructure/infrastructure.ts";
import { WorkTimeout } from "../../infrastructure/workers/workers.ts";
import { formsOf, type Hidden, withoutHidden } from "./hidden.ts";
import { concealInThread } from "./requestWork.ts";

export interface Known {
  /** The values of the secrets that the request holds, by name. */
  readonly secrets: Readonly<Record<string, string>>;
  /** The request's host and origin, where secrets decide them. */
  readonly hiddenHost: readonly string[];
}

/** Characters of the text for each form of each secret: a receiver can make the search for one slow. */
const inlineCharacters = 256 * 1024;

/** The text with `[token]` and `[secret]` where it held download tokens and secrets; only `[secret]` where the search takes too long. */
export async function conceal(
  text: string,
  { secrets, hiddenHost }: Known,
  { tenantId, deps }: { readonly tenantId: number; readonly deps: Infrastructure },
): Promise<string> {
  const hidden = hiddenIn(secrets, hiddenHost);
  const plain = withoutTokens(text);
  if (plain.length * hidden.length <= inlineCharacters) return withoutHidden(plain, hidden);
  try {
    return await deps.workers.run(concealInThread, { text: plain, hidden }, String(tenantId));
  } catch (error) {
    deps.log.warn({ err: error }, "an answer could not be searched for secrets and is not kept");
    if (error instanceof WorkTimeout) return "[secret]";
    return withoutHidden(plain.slice(0, 1_000), hidden);
  }
}

function hiddenIn(secrets: Known["secrets"], hiddenHost: readonly string[]): Hidden[] {
  const hosts = hiddenHost.map((text) => ({ text, mark: "[secret]" }));
  return [...Object.values(secrets).flatMap(formsOf), ...hosts].sort((a, b) => b.text.length - a.text.length);
}
