/** The rule about audit trails: whatever was killed, no record was changed, removed or added after its checkpoint. */
import { type Check, check } from "./check.ts";

/** `verify` runs `bun run audit verify`. */
export const checkTrails = (
  verify: () => Promise<{ readonly code: number; readonly output: string }>,
): Promise<Check> =>
  check("the audit trails are as their checkpoints say", async () => {
    const { code, output } = await verify();
    return code === 0 ? [] : [output];
  });
