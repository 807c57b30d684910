import type { Deps } from "../deps.ts";
import { Problem } from "../problem.ts";
import type { Sealing } from "../secrets/sealing.ts";

/** What secrets are encrypted with. Throws `not_configured`. */
export function secretsOf({ sealing }: Deps): Sealing {
  if (sealing) return sealing;
  throw new Problem("not_configured", {
    message: "The instance is not configured for secrets: SECRETS_KEY.",
  });
}
