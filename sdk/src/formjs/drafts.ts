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

/** Delays before the look-ups after a lost upload. At first, the server may not have finished a stopped upload. */
const lookUpDelaysMs = [0, 2_000, 10_000];

export const createDrafts = (options: DraftsOptions): Drafts => new TrackedDrafts(options);

class TrackedDrafts implements Drafts {
  readonly #options: DraftsOptions;
  readonly #drafts: Map<string, AttachmentMetadata>;
  /** The ids of all drafts that the form has ever known. */
  readonly #seen: Set<string>;
  /** Drafts on the server that are not from this form, but from another tab, for example. */
  #others: readonly AttachmentMetadata[] = [];
  readonly #removals = new Set<Promise<void>>();
  readonly #running = new Set<Attempt>();
  readonly #lost = new Set<Attempt>();

  constructor(options: DraftsOptions) {
    this.#options = options;
    this.#drafts = new Map(options.known.map((draft) => [draft.attachment_id, draft]));
    this.#seen = new Set(this.#drafts.keys());
  }

  async upload(file: File, { attach, ...options }: DraftUpload): Promise<void> {
    const attempt = { fieldName: options.fieldName, file };
    this.#running.add(attempt);
    try {
      const draft = await this.#options.uploader.upload(file, options);
      this.#add(draft);
      attach(draft);
    } catch (error) {
      if (!isAnswer(error)) {
        this.#lost.add(attempt);
        void this.#lookForLostLater();
      }
      throw error;
    } finally {
      this.#running.delete(attempt);
    }
  }

  follow(data: unknown): void {
    const named = new Set(filesIn(data).map(({ attachmentId }) => attachmentId));
    for (const draft of [...this.#drafts.values()]) if (!named.has(draft.attachment_id)) this.#remove(draft);
  }

  async settled(): Promise<void> {
    await Promise.all(this.#removals);
  }

  async lookForLost(): Promise<void> {
    if (this.#lost.size > 0) await this.lookUp();
  }

  async lookUp(): Promise<void> {
    const { findDrafts, onChange } = this.#options;
    const found = await findDrafts?.().catch(() => undefined);
    if (!found) return;
    const isRunning = (draft: Draft) => [...this.#running].some((attempt) => isOf(draft, attempt));
    const unseen = found.filter(({ metadata }) => !this.#seen.has(metadata.attachment_id));
    const unknown = unseen.filter((draft) => !isRunning(draft));
    for (const draft of unknown) {
      const attempt = [...this.#lost].find((other) => isOf(draft, other));
      if (!attempt) continue;
      this.#lost.delete(attempt);
      this.#remove(draft.metadata);
    }
    this.#others = unknown.map(({ metadata }) => metadata);
    onChange();
  }

  usage(replaced: readonly string[] = []): Usage {
    const foreign = this.#others.filter(({ attachment_id }) => !this.#seen.has(attachment_id));
    const all = [...this.#drafts.values(), ...foreign];
    const counted = all.filter(({ attachment_id }) => !replaced.includes(attachment_id));
    return { files: counted.length, bytes: counted.reduce((sum, { size }) => sum + size, 0) };
  }

  ids(): readonly string[] {
    return [...this.#drafts.keys()];
  }

  #add(draft: AttachmentMetadata): void {
    this.#seen.add(draft.attachment_id);
    this.#drafts.set(draft.attachment_id, draft);
  }

  #remove(draft: AttachmentMetadata): void {
    this.#seen.add(draft.attachment_id);
    this.#drafts.delete(draft.attachment_id);
    const removal = this.#options.uploader
      .remove(draft.attachment_id)
      // It takes up room as long as it exists. The next change tries again.
      .catch(() => this.#add(draft))
      .finally(() => this.#removals.delete(removal));
    this.#removals.add(removal);
  }

  async #lookForLostLater(): Promise<void> {
    for (const ms of lookUpDelaysMs) {
      await new Promise((resolve) => setTimeout(resolve, ms));
      await this.lookForLost();
    }
  }
}

const isOf = ({ field_name, metadata: { file_name, size } }: Draft, { fieldName, file }: Attempt) =>
  field_name === fieldName && file_name === file.name && size === file.size;

/** Whether it is certain that there is no draft. A gateway's 502 or 504 does not say. */
const isAnswer = (error: unknown) =>
  error instanceof FileRefused || (error instanceof ProblemError && error.status < 500);
