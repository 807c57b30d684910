/** The service behind the file fields of one form: what is on its way, what was refused, what there is room for. */
import type { AttachmentMetadata } from "../generated/index.ts";
import { ProblemError } from "../problemError.ts";
import { FileRefused, type Uploader } from "../uploader.ts";
import { spreadFiles } from "./attachedFiles.ts";
import { createDrafts, type Drafts } from "./drafts.ts";
import type { Draft } from "./draftsInForm.ts";
import { type FormServices, type FormState, fileFieldsOf, type SubmitEvent } from "./formServices.ts";
import { checkLimits, type FormLimits, type Usage } from "./limits.ts";
import { type Language, refusalIn, type Words, wordsIn } from "./words.ts";

export interface FilePickerOptions {
  readonly uploader: Uploader;
  /** English by default. */
  readonly language?: Language;
  /** What is known beforehand. The uploader is asked for kinds and size where they are left out. */
  readonly limits?: FormLimits;
  /** Of an earlier visit. Those that the form's data does not name are removed. */
  readonly drafts?: readonly Draft[];
  /** What the form's files take up, after each change. */
  readonly onUsage?: (usage: Usage) => void;
  /** Why a file was not taken, which its field says as well: `FileRefused`, `ProblemError`, or what `fetch` throws. */
  readonly onRefused?: (error: unknown) => void;
}

/** A file that is on its way, or was refused. */
export interface Upload {
  readonly file: File;
  /** 0 to 1. */
  readonly progress: number;
  readonly refusal?: string;
  /** Whether sending it once more may help. */
  readonly again?: boolean;
}

/** The field that a file is for. */
export interface Target {
  /** A field of the schema, and its place in the lists that it stands in. */
  readonly key: string;
  /** As the upload's `field_name`. */
  readonly fieldName: string;
  readonly accept: string;
  /** Bytes of the files that make way for this one. */
  readonly replacedBytes: number;
  readonly replacedFiles: number;
  /** Takes them out of the form's data, where there is no room for both. */
  makeRoom(): void;
  /** Puts the new file there, in their place. */
  attach(file: AttachmentMetadata): void;
}

interface Running {
  readonly target: Target;
  readonly stop: AbortController;
  upload: Upload;
}

/** Fired when anything that a field shows has changed. */
export const changed = "fileUploads.changed";

export class FileUploads {
  readonly language: Language;
  readonly words: Words;
  /** What is known beforehand. */
  limits: FormLimits;
  /** Whether the form was sent while files were on their way. */
  sentTooEarly = false;
  readonly #options: FilePickerOptions;
  readonly #services: FormServices;
  readonly #drafts: Drafts;
  readonly #said = new Map<string, string>();
  /** The end of each field's last upload. */
  readonly #turns = new Map<string, Promise<void>>();
  #running: Running[] = [];

  constructor(options: FilePickerOptions, services: FormServices) {
    const { uploader, drafts = [], language = "en", limits = {} } = options;
    this.#options = options;
    this.#services = services;
    this.#drafts = createDrafts(
      uploader,
      drafts.map(({ metadata }) => metadata),
    );
    this.language = language;
    this.words = wordsIn(language);
    this.limits = limits;
    services.eventBus.on("changed", (state: FormState) => this.#follow(state));
    // Before every other listener, so that they see each file as a variable, and an upload under way as a fault.
    services.eventBus.on("submit", 5_000, (event: SubmitEvent) => this.#complete(event));
    services.eventBus.on("form.destroy", () => this.#stopAll());
    void this.#learnLimits();
  }

  of(key: string): readonly Upload[] {
    return this.#running.filter(({ target }) => target.key === key).map(({ upload }) => upload);
  }

  /** What has just happened in a field, for a screen reader. */
  said(key: string): string {
    return this.#said.get(key) ?? "";
  }

  say(key: string, text: string): void {
    this.#said.set(key, text);
    this.#tell();
  }

  /** One after the other in a field, so that its files keep the order in which they were chosen. */
  begin(file: File, target: Target): void {
    const running = { target, stop: new AbortController(), upload: { file, progress: 0 } };
    this.#running = [...this.#running, running];
    this.#tell();
    const earlier = this.#turns.get(target.key);
    this.#turns.set(target.key, earlier ? earlier.then(() => this.#run(running)) : this.#run(running));
  }

  /** Stops an upload, or puts a refusal away. */
  dismiss(upload: Upload): void {
    const running = this.#running.find((other) => other.upload === upload);
    running?.stop.abort();
    this.#leave(running);
    this.#tell();
  }

  retry(upload: Upload): void {
    const running = this.#running.find((other) => other.upload === upload);
    this.dismiss(upload);
    if (running) this.begin(upload.file, running.target);
  }

  /** Nobody is there any more to whom a file could be shown. */
  #stopAll(): void {
    for (const { stop } of this.#running) stop.abort();
  }

  async #run(running: Running): Promise<void> {
    const { target, stop, upload } = running;
    if (stop.signal.aborted) return;
    try {
      await this.#findRoom(running);
      this.say(target.key, this.words.uploading(upload.file.name));
      const metadata = await this.#options.uploader.upload(upload.file, {
        fieldName: target.fieldName,
        signal: stop.signal,
        onProgress: (progress) => this.#show(running, { progress }),
      });
      this.#leave(running);
      this.#drafts.add(metadata);
      target.attach(metadata);
      this.say(target.key, this.words.uploaded(metadata.file_name));
    } catch (error) {
      if (stop.signal.aborted) return;
      this.#show(running, { refusal: refusalIn(this.language, error), again: mayHelpAgain(error) });
      this.#options.onRefused?.(error);
    }
  }

  /** Throws `FileRefused` where there is none, also when the files that are replaced have gone. */
  async #findRoom({ target, stop, upload: { file } }: Running): Promise<void> {
    const { files, bytes } = this.#usage();
    const { replacedFiles, replacedBytes, accept } = target;
    const usage = { files: files - 1, bytes: bytes - file.size };
    try {
      checkLimits(file, { ...this.limits, accept, usage }, this.words);
    } catch (error) {
      if (!isFull(error) || replacedFiles === 0) throw error;
      const without = { files: usage.files - replacedFiles, bytes: usage.bytes - replacedBytes };
      checkLimits(file, { ...this.limits, accept, usage: without }, this.words);
      target.makeRoom();
      await this.#drafts.settled();
      stop.signal.throwIfAborted();
    }
  }

  #usage(): Usage {
    const { files, bytes } = this.#drafts.usage();
    const sizes = this.#underWay().map(({ upload }) => upload.file.size);
    return { files: files + sizes.length, bytes: sizes.reduce((sum, size) => sum + size, bytes) };
  }

  #underWay = () => this.#running.filter(({ upload }) => upload.refusal === undefined);

  #show(running: Running, news: Partial<Upload>): void {
    running.upload = { ...running.upload, ...news };
    this.#tell();
  }

  #leave(running: Running | undefined): void {
    this.#running = this.#running.filter((other) => other !== running);
  }

  #tell(): void {
    if (this.#underWay().length === 0) this.sentTooEarly = false;
    this.#services.eventBus.fire(changed);
    this.#options.onUsage?.(this.#usage());
  }

  #follow({ data }: FormState): void {
    if (data === null) return;
    this.#drafts.follow(data);
    this.#options.onUsage?.(this.#usage());
  }

  #complete({ data, errors }: SubmitEvent): void {
    const fields = fileFieldsOf(this.#services);
    spreadFiles(
      data,
      fields.map(({ valuePath }) => valuePath),
    );
    const waiting = new Set(this.#underWay().map(({ target }) => target.key));
    // Not under the field's id, where form-js keeps what it shows itself: the field says it as long as it is true.
    for (const key of waiting) errors[`${key}_upload`] = [this.words.stillUploading];
    this.sentTooEarly = waiting.size > 0;
    this.#tell();
  }

  /** Without an answer nothing is known beforehand, and the server says no. */
  async #learnLimits(): Promise<void> {
    const { extensions, maxFileBytes } = this.limits;
    if (extensions && maxFileBytes !== undefined) return;
    const known = await this.#options.uploader.limits().catch(() => undefined);
    if (known) this.limits = { extensions: known.extensions, maxFileBytes: known.maxBytes, ...this.limits };
    this.#tell();
  }
}

const isFull = (error: unknown) => error instanceof FileRefused && error.code === "session_quota_exceeded";

function mayHelpAgain(error: unknown): boolean {
  if (error instanceof ProblemError) return error.status >= 500 || error.status === 429;
  return !(error instanceof FileRefused);
}
