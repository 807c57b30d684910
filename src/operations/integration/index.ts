/**
 * What the platform and its integrations meet in: addons, the secrets that service tasks take, and files that belong to
 * no form (reference 4, other upload paths).
 *
 * What holds here: a general upload is for every member of its tenant, and is no form attachment; what was uploaded to
 * a discussion is not reached through here. Addons and secrets are for administrators. No operation answers a secret's value.
 */
import type { HandlersOf } from "../../handler.ts";
import { deleteAddon } from "./deleteAddon.ts";
import { deleteSecret } from "./deleteSecret.ts";
import { downloadFile } from "./downloadFile.ts";
import { listAddons } from "./listAddons.ts";
import { listSecrets } from "./listSecrets.ts";
import { putAddon } from "./putAddon.ts";
import { putSecret } from "./putSecret.ts";
import { uploadFile } from "./uploadFile.ts";

export const integration = {
  listAddons,
  putAddon,
  deleteAddon,
  listSecrets,
  putSecret,
  deleteSecret,
  uploadFile,
  downloadFile,
} satisfies HandlersOf<"integration">;
