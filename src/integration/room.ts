/**
 * What the platform and its integrations meet in: addons, and files that belong to no form (reference 4, other upload
 * paths; design 9).
 *
 * What holds here: a general upload is for every member of its tenant, and is no form attachment; what was uploaded to
 * a discussion is not reached through here. Addons are an administrator's matter.
 */
import type { HandlersOf } from "../handler.ts";
import { deleteAddon } from "./deleteAddon.ts";
import { downloadFile } from "./downloadFile.ts";
import { listAddons } from "./listAddons.ts";
import { putAddon } from "./putAddon.ts";
import { uploadFile } from "./uploadFile.ts";

export const integration = {
  listAddons,
  putAddon,
  deleteAddon,
  uploadFile,
  downloadFile,
} satisfies HandlersOf<"integration">;
