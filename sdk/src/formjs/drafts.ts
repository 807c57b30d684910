/**
 * The drafts of a form. Two rules keep the server's drafts in step:
 *
 * - A draft that is no longer in the form's data is removed. The cause does not matter: a removal, a replacement, a
 *   reset, or the removal of a list's row.
 * - If an upload gets no answer, the draft that it may have left is looked up and removed. Otherwise a second attempt
 *   would leave two.
 */
import type { AttachmentMetadata } from "../generated/index.ts";
import { ProblemError } from "../problemError.ts";
import { FileRefused, type Uploader, type UploadOptions } from "../uploader.ts";
import { filesIn } from "./attachedFiles.ts";
import type { Draft } from "./draftsInForm.ts";
import type { Usage } from "./limits.ts";

export interface DraftUpload extends UploadOptions {
  /** Puts the draft into the form's data immediately: any change of the data without it would remove the draft. */
  attach(draft: AttachmentMetadata): void;
}

export interface Drafts {
  /** Throws the same errors as the uploader. */
  upload(file: File, options: DraftUpload): Promise<void>;
  /** Call it after every change of the form's data. */
  follow(data: unknown): void;
  /** Resolves when all running removals have ended. */
  settled(): Promise<void>;
  /** Like `lookUp`, but only if an upload got no answer. */
  lookForLost(): Promise<void>;
  /** Asks the server which drafts exist. */
  lookUp(): Promise<void>;
  /** What the drafts on the server take up, without those in `replaced`. */
  usage(replaced?: readonly string[]): Usage;
  ids(): readonly string[];
}

export interface DraftsOptions {
  readonly uploader: Uploader;
  readonly known: readonly AttachmentMetadata[];
  readonly findDrafts: (() => Promise<readonly Draft[]>) | undefined;
  onChange(): void;
}

/** Identifies an upload among the server's drafts. */
interface Attempt {
  readonly fieldName: string;
  readonly file: File;
}

/** When to ask the server: at first, it may not have finished a stopped upload. */
const laterMs = [0, 2_000, 10_000];

export function createDrafts({ uploader, known, findDrafts, onChange }: DraftsOptions): Drafts {
  const drafts = new Map(known.map((draft) => [draft.attachment_id, draft]));
  /** The ids of all drafts that the form has ever known. */
  const seen = new Set(drafts.keys());
  /** Drafts on the server that are not from this form, but from another tab, for example. */
  let others: readonly AttachmentMetadata[] = [];
  const removals = new Set<Promise<void>>();
  const underWay = new Set<Attempt>();
  const lost = new Set<Attempt>();

  const add = (draft: AttachmentMetadata) => {
    seen.add(draft.attachment_id);
    drafts.set(draft.attachment_id, draft);
  };
  const remove = (draft: AttachmentMetadata) => {
    seen.add(draft.attachment_id);
    drafts.delete(draft.attachment_id);
    const removal = uploader
      .remove(draft.attachment_id)
      // It takes up room as long as it exists. The next change tries again.
      .catch(() => add(draft))
      .finally(() => removals.delete(removal));
    removals.add(removal);
  };
  const lookUp = async () => {
    const found = await findDrafts?.().catch(() => undefined);
    if (!found) return;
    const unseen = found.filter(({ metadata }) => !seen.has(metadata.attachment_id));
    const isUnderWay = (draft: Draft) => [...underWay].some((attempt) => isOf(draft, attempt));
    for (const draft of unseen.filter((draft) => !isUnderWay(draft))) {
      const attempt = [...lost].find((other) => isOf(draft, other));
      if (!attempt) continue;
      lost.delete(attempt);
      remove(draft.metadata);
    }
    others = unseen.filter((draft) => !isUnderWay(draft)).map(({ metadata }) => metadata);
    onChange();
  };
  const lookForLost = async () => {
    if (lost.size > 0) await lookUp();
  };
  const lookForLostLater = async () => {
    for (const ms of laterMs) {
      await new Promise((resolve) => setTimeout(resolve, ms));
      await lookForLost();
    }
  };

  return {
    upload: async (file, { attach, ...options }) => {
      const attempt = { fieldName: options.fieldName, file };
      underWay.add(attempt);
      try {
        const draft = await uploader.upload(file, options);
        add(draft);
        attach(draft);
      } catch (error) {
        if (!isAnswer(error)) {
          lost.add(attempt);
          void lookForLostLater();
        }
        throw error;
      } finally {
        underWay.delete(attempt);
      }
    },
    follow: (data) => {
      const named = new Set(filesIn(data).map(({ attachmentId }) => attachmentId));
      for (const draft of [...drafts.values()]) if (!named.has(draft.attachment_id)) remove(draft);
    },
    settled: async () => void (await Promise.all(removals)),
    lookForLost,
    lookUp,
    usage: (replaced = []) => {
      const foreign = others.filter(({ attachment_id }) => !seen.has(attachment_id));
      const all = [...drafts.values(), ...foreign];
      const counted = all.filter(({ attachment_id }) => !replaced.includes(attachment_id));
      return { files: counted.length, bytes: counted.reduce((sum, { size }) => sum + size, 0) };
    },
    ids: () => [...drafts.keys()],
  };
}

const isOf = ({ field_name, metadata: { file_name, size } }: Draft, { fieldName, file }: Attempt) =>
  field_name === fieldName && file_name === file.name && size === file.size;

/** Whether it is certain that there is no draft. A gateway's 502 or 504 does not say. */
const isAnswer = (error: unknown) =>
  error instanceof FileRefused || (error instanceof ProblemError && error.status < 500);
