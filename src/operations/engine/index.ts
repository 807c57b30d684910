/** For the service account of a process engine, with the role `engine` in the tenant that the body names. */
import type { HandlersOf } from "../../handler.ts";
import { bindAttachments } from "./bindAttachments.ts";
import { issueDownloadUrls } from "./issueDownloadUrls.ts";

export const engine = { issueDownloadUrls, bindAttachments } satisfies HandlersOf<"engine">;
