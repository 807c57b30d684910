/** For a process engine's service account, role `engine` of the tenant that the body names (design 8). */
import type { HandlersOf } from "../../handler.ts";
import { bindAttachments } from "./bindAttachments.ts";
import { issueDownloadUrls } from "./issueDownloadUrls.ts";

export const engine = { issueDownloadUrls, bindAttachments } satisfies HandlersOf<"engine">;
