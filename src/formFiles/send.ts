/** An attachment's bytes go out. */
import type { Parts } from "../deps.ts";
import type { OutgoingFile } from "../file.ts";
import { openFile } from "../files/send.ts";
import { type Attachment, objectKey } from "./attachment.ts";

/** As `openFile`. Throws `attachment_not_found` where the object is gone. */
export const openAttachment = (parts: Parts, attachment: Attachment): Promise<OutgoingFile> =>
  openFile(parts, attachment, {
    key: objectKey(attachment.tenantId, attachment.id),
    gone: "attachment_not_found",
  });
