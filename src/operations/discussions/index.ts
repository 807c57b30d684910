/**
 * The discussion of a process instance: its participants, who may also download the instance's attachments
 * (docs/decisions/attachments.md), and their messages with files. Its invariants:
 *
 * - Participants, administrators and engines of the tenant manage and read it. For anybody else it does not exist, so
 *   nobody can add themselves.
 * - The files of a message are not form attachments. They are reached only through their message.
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
