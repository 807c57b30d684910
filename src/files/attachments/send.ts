/** An attachment's bytes go out. */

import type { Infrastructure } from "../../infrastructure/infrastructure.ts";
import { objectKey } from "../fileKind.ts";
import { holdRoom, openFile } from "../send.ts";
import type { Attachment } from "./attachment.ts";
import { attachments } from "./queries.ts";

export interface OpenOptions {
  /** Room that `holdRoom` gave; asked for here where absent. */
  readonly release?: () => void;
}

/** As `openFile`. Throws `attachment_not_found` where the object is gone, and `busy`. */
export async function openAttachment(
  parts: Infrastructure,
  attachment: Attachment,
  { release }: OpenOptions = {},
): Promise<Blob> {
  return openFile(parts, attachment, {
    key: objectKey(attachments, attachment),
    gone: "attachment_not_found",
    release: release ?? (await holdRoom(parts, attachment)),
  });
}
