/** An attachment's bytes go out. */

import type { Parts } from "../deps.ts";
import type { OutgoingFile } from "../file.ts";
import { keyOf } from "../files/fileKind.ts";
import { openFile } from "../files/send.ts";
import type { Attachment } from "./attachment.ts";
import { attachments } from "./queries.ts";

/** As `openFile`. Throws `attachment_not_found` where the object is gone. */
export const openAttachment = (parts: Parts, attachment: Attachment): Promise<OutgoingFile> =>
  openFile(parts, attachment, {
    key: keyOf(attachments, attachment),
    gone: "attachment_not_found",
  });
