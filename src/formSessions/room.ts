/** Embedded start forms: an administrator embeds a process's form, a visitor's page begins a session (design 8). */
import type { HandlersOf } from "../handler.ts";
import { createEmbed } from "./createEmbed.ts";
import { createFormSession } from "./createFormSession.ts";
import { startPublicProcess } from "./startPublicProcess.ts";

export const formSessions = {
  createEmbed,
  createFormSession,
  startPublicProcess,
} satisfies HandlersOf<"formSessions">;
