/**
 * Embedded start forms: an administrator embeds a process's form, a visitor's page begins a session and starts the
 * process (design 8 and 11).
 *
 * What holds here: tenant and process come from the form token; a session sees its own drafts, and starts one process.
 */
import type { HandlersOf } from "../../handler.ts";
import { createEmbed } from "./createEmbed.ts";
import { createFormSession } from "./createFormSession.ts";
import { deleteEmbed } from "./deleteEmbed.ts";
import { getStartForm } from "./getStartForm.ts";
import { listEmbeds } from "./listEmbeds.ts";
import { startPublicProcess } from "./startPublicProcess.ts";

export const formSessions = {
  createEmbed,
  listEmbeds,
  deleteEmbed,
  createFormSession,
  getStartForm,
  startPublicProcess,
} satisfies HandlersOf<"formSessions">;
