/**
 * Who takes part in the discussion of a process instance, and so may download its attachments (reference 4).
 *
 * What holds here: participants, administrators and engines of the tenant manage it; to anybody else it does not
 * exist, so nobody can let themselves in.
 */
import type { HandlersOf } from "../handler.ts";
import { addParticipant } from "./addParticipant.ts";
import { listParticipants } from "./listParticipants.ts";
import { removeParticipant } from "./removeParticipant.ts";

export const discussions = {
  listParticipants,
  addParticipant,
  removeParticipant,
} satisfies HandlersOf<"discussions">;
