/** The service behind the file fields of one form: running uploads, refused files, and the remaining room. */
import type { AttachmentMetadata } from "../generated/index.ts";
import { ProblemError } from "../problemError.ts";
import { FileRefused, type Uploader } from "../uploader.ts";
import { type AttachedFile, spreadFiles } from "./attachedFiles.ts";
import { createDrafts, type Drafts } from "./drafts.ts";
import type { Draft } from "./draftsInForm.ts";
import { createFormFiles, type FormFiles } from "./formFiles.ts";
import {
  type FormServices,
  type FormState,
  fileFieldsOf,
  type RowRemoval,
  type SubmitEvent,
} from "./formServices.ts";
import { checkLimits, type FormLimits, type Usage } from "./limits.ts";
import { type Language, type Messages, messagesIn, refusalIn } from "./messages.ts";
import { fieldName, type Path, samePath, withoutRow } from "./paths.ts";
import { variableNames } from "./schema.ts";

export interface FilePickerOptions {
  readonly uploader: Uploader;
  /** English by default. */
  readonly language?: Language;
  /** Limits that are known in advance. The uploader is asked for file types and size if they are missing. */
  readonly limits?: FormLimits;
  /** Drafts from before a reload. Those that are not in the form's data are removed. */
  readonly drafts?: readonly Draft[];
  /**
   * Asks the server which drafts exist (for visitors: `GET public/start-form`). It is called after an upload that was
   * stopped or got no answer, to remove what it left and to count the room correctly.
   */
  readonly findDrafts?: () => Promise<readonly Draft[]>;
  /** Called after each change with what the form's files take up. */
  readonly onUsage?: (usage: Usage) => void;
  /** Called with `FileRefused`, `ProblemError` or what `fetch` throws. The field shows the reason too. */
  readonly onRefused?: (error: unknown) => void;
}

/** A running upload, or a file that was refused. */
export interface Upload {
  readonly file: File;
  /** 0 to 1. */
  readonly progress: number;
  readonly refusal?: string;
  /** Whether a second attempt may succeed. */
  readonly again?: boolean;
}

/** The field that a file is for. */
export interface Target {
  /** The current path of its value. */
  readonly place: Path;
  readonly accept: string;
  /** Whether the file is added to the existing ones. Otherwise it replaces them. */
  readonly several: boolean;
}

interface Running {
  /** Its place changes when a row of a list is removed. */
  target: Target;
  readonly stop: AbortController;
  upload: Upload;
  /** Whether there was room for the file. Only then it counts. */
  accepted: boolean;
  ended: Promise<void>;
}

/** The event that is fired when anything that a field shows has changed. */
export const changed = "fileUploads.changed";

export class FileUploads {
  readonly language: Language;
  readonly messages: Messages;
  /** Limits that are known in advance. */
  limits: FormLimits;
  /** Whether the visitor tried to send the form during an upload. */
  sentTooEarly = false;
  readonly #options: FilePickerOptions;
  readonly #services: FormServices;
  readonly #files: FormFiles;
  readonly #drafts: Drafts;
  readonly #announcements = new Map<string, string>();
  #running: Running[] = [];

  constructor(options: FilePickerOptions, services: FormServices) {
    const { uploader, drafts = [], findDrafts, language = "en", limits = {} } = options;
    this.#options = options;
    this.#services = services;
    this.#files = createFormFiles(services);
    const known = drafts.map(({ metadata }) => metadata);
    this.#drafts = createDrafts({ uploader, known, findDrafts, onChange: () => this.#notify() });
    this.language = language;
    this.messages = messagesIn(language);
    this.limits = limits;
    this.#listen(services.eventBus);
    void this.#learnLimits();
  }

  #listen(eventBus: FormServices["eventBus"]): void {
    eventBus.on("import.done", () => this.#files.forgetInitially(this.#drafts.ids()));
    eventBus.on("changed", (state: FormState) => this.#follow(state));
    eventBus.on("repeatRenderManager.remove", (removal: RowRemoval) => this.#removeRow(removal));
    // Before all other listeners, so that they see each file as a variable and a running upload as a fault.
    eventBus.on("submit", 5_000, (event: SubmitEvent) => this.#complete(event));
    eventBus.on("reset", () => this.#clear());
    eventBus.on("form.clear", () => this.#clear());
    eventBus.on("form.destroy", () => this.#stop(this.#running));
  }

  of(place: Path): readonly Upload[] {
    return this.#at(place).map(({ upload }) => upload);
  }

  /** The last event in a field, for a screen reader. */
  announcement(place: Path): string {
    return this.#announcements.get(fieldName(place)) ?? "";
  }

  /** The uploads of a field run one after the other, so that its files keep the order in which they were chosen. */
  begin(file: File, target: Target): void {
    const earlier = this.#at(target.place).at(-1)?.ended;
    const stop = new AbortController();
    const upload = { file, progress: 0 };
    const running: Running = { target, stop, upload, accepted: false, ended: Promise.resolve() };
    this.#running = [...this.#running, running];
    this.#notify();
    running.ended = earlier ? earlier.then(() => this.#run(running)) : this.#run(running);
  }

  /** Stops a running upload, or removes a refused file from the list. */
  dismiss(upload: Upload): void {
    const running = this.#running.find((other) => other.upload === upload);
    if (!running) return;
    this.#stop([running]);
    this.#announce(
      running.target.place,
      upload.refusal === undefined ? this.messages.stopped(upload.file.name) : "",
    );
  }

  retry(upload: Upload): void {
    const running = this.#running.find((other) => other.upload === upload);
    this.dismiss(upload);
    if (running) this.begin(upload.file, running.target);
  }

  /** Removes an attached file from the form's data. */
  remove(place: Path, { attachmentId, fileName }: AttachedFile): void {
    this.#files.set(
      place,
      this.#files.at(place).filter((file) => file.attachmentId !== attachmentId),
    );
    this.#announce(place, this.messages.removed(fileName));
  }

  async #run(running: Running): Promise<void> {
    const { stop, upload } = running;
    if (stop.signal.aborted) return;
    try {
      await this.#drafts.lookForLost();
      stop.signal.throwIfAborted();
      await this.#findRoom(running);
      this.#announce(running.target.place, this.messages.uploading(upload.file.name));
      await this.#drafts.upload(upload.file, {
        fieldName: fieldName(running.target.place),
        signal: stop.signal,
        onProgress: (progress) => this.#show(running, { progress }),
        attach: (metadata) => this.#attach(running, metadata),
      });
    } catch (error) {
      running.accepted = false;
      const reason = await this.#reasonFor(error, running);
      if (stop.signal.aborted) return;
      this.#show(running, { refusal: refusalIn(this.language, reason), again: mayHelpAgain(error) });
      // The refusal itself is an alert.
      this.#announce(running.target.place, "");
      this.#options.onRefused?.(error);
    }
  }

  /** If the upload was stopped in the meantime, the draft is not in the data, so `#follow` removes it. */
  #attach(running: Running, metadata: AttachmentMetadata): void {
    const { target, stop } = running;
    this.#running = this.#running.filter((other) => other !== running);
    if (stop.signal.aborted) this.#follow(this.#services.form._getState());
    else {
      const existing = target.several ? this.#files.at(target.place) : [];
      this.#files.set(target.place, [...existing, { metadata }]);
      this.#announce(target.place, this.messages.uploaded(metadata.file_name));
    }
  }

  /** The server had less room than expected: asks it again, so that the visitor learns how much room is left. */
  async #reasonFor(error: unknown, { upload, target }: Running): Promise<unknown> {
    if (!(error instanceof ProblemError && error.code === "session_quota_exceeded")) return error;
    await this.#drafts.lookUp();
    try {
      this.#check(upload.file, target, this.#usage());
    } catch (reason) {
      return reason;
    }
    return error;
  }

  #check(file: File, { accept }: Target, usage: Usage): void {
    checkLimits(file, { ...this.limits, accept, usage }, this.messages);
  }

  /** Throws `FileRefused` if there is no room, even without the files that are replaced. */
  async #findRoom(running: Running): Promise<void> {
    const { target, stop, upload } = running;
    const check = (usage: Usage) => this.#check(upload.file, target, usage);
    const replaced = target.several ? [] : this.#files.at(target.place);
    try {
      check(this.#usage());
      running.accepted = true;
    } catch (error) {
      if (!isFull(error) || replaced.length === 0) throw error;
      check(this.#usage(replaced));
      running.accepted = true;
      this.#files.set(target.place, []);
      await this.#drafts.settled();
      stop.signal.throwIfAborted();
    }
  }

  #usage(replaced: readonly AttachedFile[] = []): Usage {
    const { files, bytes } = this.#drafts.usage(replaced.map(({ attachmentId }) => attachmentId));
    const sizes = this.#running.filter(({ accepted }) => accepted).map(({ upload }) => upload.file.size);
    return { files: files + sizes.length, bytes: sizes.reduce((sum, size) => sum + size, bytes) };
  }

  #at = (place: Path) => this.#running.filter(({ target }) => samePath(target.place, place));

  #underWay = () => this.#running.filter(({ upload }) => upload.refusal === undefined);

  #stop(stopped: readonly Running[]): void {
    for (const { stop } of stopped) stop.abort();
    this.#running = this.#running.filter((running) => !stopped.includes(running));
  }

  #show(running: Running, news: Partial<Upload>): void {
    running.upload = { ...running.upload, ...news };
    this.#notify();
  }

  #announce(place: Path, text: string): void {
    this.#announcements.set(fieldName(place), text);
    this.#notify();
  }

  #notify(): void {
    if (this.#underWay().length === 0) this.sentTooEarly = false;
    this.#services.eventBus.fire(changed);
    this.#options.onUsage?.(this.#usage());
  }

  #follow({ data }: FormState): void {
    if (data === null) return;
    this.#drafts.follow(data);
    this.#options.onUsage?.(this.#usage());
  }

  /** A file moves with its row, and is removed with it. */
  #removeRow({ dataPath: list, index }: RowRemoval): void {
    const gone: Running[] = [];
    for (const running of this.#running) {
      const place = withoutRow(running.target.place, { list, index });
      if (place) running.target = { ...running.target, place };
      else gone.push(running);
    }
    this.#stop(gone);
    this.#announcements.clear();
    this.#notify();
  }

  #clear(): void {
    this.#stop(this.#running);
    this.#announcements.clear();
    this.#notify();
  }

  /** Does not wait for the uploads of hidden fields: the form is sent without them. */
  #complete({ data, errors }: SubmitEvent): void {
    const paths = fileFieldsOf(this.#services).map(({ valuePath }) => valuePath);
    const { schema } = this.#services.form._getState();
    spreadFiles(data, { paths, taken: schema ? variableNames(schema) : [] });
    const places = this.#underWay().map(({ target }) => target.place);
    const waiting = paths.filter((path) => places.some((place) => samePath(place, path)));
    // Not under the field's id: form-js would keep showing the error. The field shows it only while it is true.
    for (const path of waiting) errors[`${fieldName(path)}_upload`] = [this.messages.stillUploading];
    this.sentTooEarly = waiting.length > 0;
    this.#notify();
  }

  /** Without an answer, no limits are known in advance, and only the server checks the files. */
  async #learnLimits(): Promise<void> {
    const { extensions, maxFileBytes } = this.limits;
    if (extensions && maxFileBytes !== undefined) return;
    const known = await this.#options.uploader.limits().catch(() => undefined);
    if (known) this.limits = { extensions: known.extensions, maxFileBytes: known.maxBytes, ...this.limits };
    this.#notify();
  }
}

const isFull = (error: unknown) => error instanceof FileRefused && error.code === "session_quota_exceeded";

function mayHelpAgain(error: unknown): boolean {
  if (error instanceof ProblemError) return error.status >= 500 || error.status === 429;
  return !(error instanceof FileRefused);
}
