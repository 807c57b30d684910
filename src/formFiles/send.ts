/** An attachment's bytes go out. */

import type { Parts } from "../deps.ts";
import type { OutgoingFile } from "../file.ts";
import { keyOf } from "../files/fileKind.ts";
import { holdRoom, openFile } from "../files/send.ts";
import type { Attachment } from "./attachment.ts";
import { attachments } from "./queries.ts";

export interface OpenOptions {
  /** Room that `holdRoom` gave; asked for here where absent. */
  readonly release?: () => void;
}

/** As `openFile`. Throws `attachment_not_found` where the object is gone, and `busy`. */
export async function openAttachment(
  parts: Parts,
  attachment: Attachment,
  { release }: OpenOptions = {},
): Promise<OutgoingFile> {
  return openFile(parts, attachment, {
    key: keyOf(attachments, attachment),
    gone: "attachment_not_found",
    release: release ?? (await holdRoom(parts, attachment)),
  });
}
