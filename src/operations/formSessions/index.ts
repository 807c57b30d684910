/**
 * Embedded start forms: an administrator embeds the start form of a process. A visitor's page begins a session and
 * starts the process (docs/decisions/reads-and-forms.md). The invariants:
 *
 * - Tenant and process come from the form token.
 * - A session sees only its own drafts, and starts one process.
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
