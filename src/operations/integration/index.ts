/**
 * For integrations: addons, the secrets that service tasks use, and files that do not belong to a form.
 *
 * - Every member of a tenant may read its general uploads. They are not form attachments.
 * - Files of a discussion cannot be reached here.
 * - Only administrators manage addons and secrets. No operation returns a secret's value.
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
