import type { Infrastructure } from "../../infrastructure/infrastructure.ts";
import { Problem } from "../../infrastructure/problem.ts";
import type { Sealing } from "../../infrastructure/sealing.ts";

/** What secrets are encrypted with. Throws `not_configured`. */
export function secretsOf({ sealing }: Infrastructure): Sealing {
  if (sealing) return sealing;
  throw new Problem("not_configured", {
    message: "The instance is not configured for secrets: SECRETS_KEY.",
  });
}
