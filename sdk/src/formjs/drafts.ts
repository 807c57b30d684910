/**
 * The drafts of a form. One rule keeps the server's in step, whatever takes a file out of the form's data (a removal, a
 * replacement, a reset, a row of a list that goes): a draft that the data names no longer is removed.
 */
import type { AttachmentMetadata } from "../generated/index.ts";
import type { Uploader } from "../uploader.ts";
import { filesIn } from "./attachedFiles.ts";
import type { Usage } from "./limits.ts";

export interface Drafts {
  add(draft: AttachmentMetadata): void;
  /** To be told of every change of the form's data. */
  follow(data: unknown): void;
  /** When the removals under way have ended. */
  settled(): Promise<void>;
  /** What the drafts take up; those of `replaced` count as gone. */
  usage(replaced?: readonly string[]): Usage;
  ids(): readonly string[];
}

export function createDrafts(uploader: Uploader, known: readonly AttachmentMetadata[]): Drafts {
  const drafts = new Map(known.map((draft) => [draft.attachment_id, draft]));
  const removals = new Set<Promise<void>>();
  const remove = (draft: AttachmentMetadata) => {
    drafts.delete(draft.attachment_id);
    const removal = uploader
      .remove(draft.attachment_id)
      // It takes up room as long as it is there; the next change tries again.
      .catch(() => void drafts.set(draft.attachment_id, draft))
      .finally(() => removals.delete(removal));
    removals.add(removal);
  };
  return {
    add: (draft) => void drafts.set(draft.attachment_id, draft),
    follow: (data) => {
      const named = new Set(filesIn(data).map(({ attachmentId }) => attachmentId));
      for (const draft of [...drafts.values()]) if (!named.has(draft.attachment_id)) remove(draft);
    },
    settled: async () => void (await Promise.all(removals)),
    usage: (replaced = []) => {
      const counted = [...drafts.values()].filter(({ attachment_id }) => !replaced.includes(attachment_id));
      return { files: counted.length, bytes: counted.reduce((sum, { size }) => sum + size, 0) };
    },
    ids: () => [...drafts.keys()],
  };
}
