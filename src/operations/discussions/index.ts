/**
 * The discussion of a process instance: who takes part in it, and so may download its attachments (reference 4), and
 * what they say, with files of their own.
 *
 * What holds here: participants, administrators and engines of the tenant manage it and read it; to anybody else it
 * does not exist, so nobody can let themselves in. A message's files are no form attachments: they are reached through
 * their message alone.
 */
import type { HandlersOf } from "../../handler.ts";
import { addParticipant } from "./addParticipant.ts";
import { downloadMessageAttachment } from "./downloadMessageAttachment.ts";
import { listMessages } from "./listMessages.ts";
import { listParticipants } from "./listParticipants.ts";
import { postMessage } from "./postMessage.ts";
import { removeParticipant } from "./removeParticipant.ts";

export const discussions = {
  listParticipants,
  addParticipant,
  removeParticipant,
  listMessages,
  postMessage,
  downloadMessageAttachment,
} satisfies HandlersOf<"discussions">;
