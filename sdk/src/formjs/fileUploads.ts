/** The service behind the file fields of one form: what is on its way, what was refused, what there is room for. */
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
import { fieldName, type Path, samePath, withoutRow } from "./paths.ts";
import { variableNames } from "./schema.ts";
import { type Language, refusalIn, type Words, wordsIn } from "./words.ts";

export interface FilePickerOptions {
  readonly uploader: Uploader;
  /** English by default. */
  readonly language?: Language;
  /** What is known beforehand. The uploader is asked for kinds and size where they are left out. */
  readonly limits?: FormLimits;
  /** Of an earlier visit. Those that the form's data does not name are removed. */
  readonly drafts?: readonly Draft[];
  /**
   * Asks the server for the drafts that there are (visitors: `GET public/start-form`), when an upload had no answer or was
   * stopped, so that what it left is removed and room is counted right.
   */
  readonly findDrafts?: () => Promise<readonly Draft[]>;
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
  /** Where its value stands now. */
  readonly place: Path;
  readonly accept: string;
  /** Whether the file stands beside those that are there, or in their place. */
  readonly several: boolean;
}

interface Running {
  /** Its place changes with the rows of a list. */
  target: Target;
  readonly stop: AbortController;
  upload: Upload;
  /** Whether there was room for it: only then does it take up any. */
  accepted: boolean;
  ended: Promise<void>;
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
  readonly #files: FormFiles;
  readonly #drafts: Drafts;
  readonly #said = new Map<string, string>();
  #running: Running[] = [];

  constructor(options: FilePickerOptions, services: FormServices) {
    const { uploader, drafts = [], findDrafts, language = "en", limits = {} } = options;
    this.#options = options;
    this.#services = services;
    this.#files = createFormFiles(services);
    const known = drafts.map(({ metadata }) => metadata);
    this.#drafts = createDrafts({ uploader, known, findDrafts, onChange: () => this.#tell() });
    this.language = language;
    this.words = wordsIn(language);
    this.limits = limits;
    this.#listen(services.eventBus);
    void this.#learnLimits();
  }

  #listen(eventBus: FormServices["eventBus"]): void {
    eventBus.on("import.done", () => this.#files.forgetInitially(this.#drafts.ids()));
    eventBus.on("changed", (state: FormState) => this.#follow(state));
    eventBus.on("repeatRenderManager.remove", (removal: RowRemoval) => this.#removeRow(removal));
    // Before every other listener, so that they see each file as a variable, and an upload under way as a fault.
    eventBus.on("submit", 5_000, (event: SubmitEvent) => this.#complete(event));
    eventBus.on("reset", () => this.#clear());
    eventBus.on("form.clear", () => this.#clear());
    eventBus.on("form.destroy", () => this.#stop(this.#running));
  }

  of(place: Path): readonly Upload[] {
    return this.#at(place).map(({ upload }) => upload);
  }

  /** What has just happened in a field, for a screen reader. */
  said(place: Path): string {
    return this.#said.get(fieldName(place)) ?? "";
  }

  /** One after the other in a field, so that its files keep the order in which they were chosen. */
  begin(file: File, target: Target): void {
    const earlier = this.#at(target.place).at(-1)?.ended;
    const stop = new AbortController();
    const upload = { file, progress: 0 };
    const running: Running = { target, stop, upload, accepted: false, ended: Promise.resolve() };
    this.#running = [...this.#running, running];
    this.#tell();
    running.ended = earlier ? earlier.then(() => this.#run(running)) : this.#run(running);
  }

  /** Stops an upload, or puts a refusal away. */
  dismiss(upload: Upload): void {
    const running = this.#running.find((other) => other.upload === upload);
    if (!running) return;
    this.#stop([running]);
    this.#say(running.target.place, upload.refusal === undefined ? this.words.stopped(upload.file.name) : "");
  }

  retry(upload: Upload): void {
    const running = this.#running.find((other) => other.upload === upload);
    this.dismiss(upload);
    if (running) this.begin(upload.file, running.target);
  }

  /** Takes an attached file out of the form's data. */
  remove(place: Path, { attachmentId, fileName }: AttachedFile): void {
    this.#files.set(
      place,
      this.#files.at(place).filter((file) => file.attachmentId !== attachmentId),
    );
    this.#say(place, this.words.removed(fileName));
  }

  async #run(running: Running): Promise<void> {
    const { stop, upload } = running;
    if (stop.signal.aborted) return;
    try {
      await this.#drafts.lookForLost();
      stop.signal.throwIfAborted();
      await this.#findRoom(running);
      this.#say(running.target.place, this.words.uploading(upload.file.name));
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
      this.#say(running.target.place, "");
      this.#options.onRefused?.(error);
    }
  }

  /** A draft that came too late, when its upload had been stopped, is one that the data does not name. */
  #attach(running: Running, metadata: AttachmentMetadata): void {
    const { target, stop } = running;
    this.#running = this.#running.filter((other) => other !== running);
    if (stop.signal.aborted) this.#follow(this.#services.form._getState());
    else {
      const there = target.several ? this.#files.at(target.place) : [];
      this.#files.set(target.place, [...there, { metadata }]);
      this.#say(target.place, this.words.uploaded(metadata.file_name));
    }
  }

  /** The server had less room than was known here: it is asked again, and said how much is left. */
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
    checkLimits(file, { ...this.limits, accept, usage }, this.words);
  }

  /** Throws `FileRefused` where there is none, also when the file that is replaced has gone. */
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
    this.#tell();
  }

  #say(place: Path, text: string): void {
    this.#said.set(fieldName(place), text);
    this.#tell();
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

  /** A file stays with its row, and goes with it. */
  #removeRow({ dataPath: list, index }: RowRemoval): void {
    const gone: Running[] = [];
    for (const running of this.#running) {
      const place = withoutRow(running.target.place, { list, index });
      if (place) running.target = { ...running.target, place };
      else gone.push(running);
    }
    this.#stop(gone);
    this.#said.clear();
    this.#tell();
  }

  #clear(): void {
    this.#stop(this.#running);
    this.#said.clear();
    this.#tell();
  }

  /** Uploads of fields that are hidden are not waited for: the form is sent without them. */
  #complete({ data, errors }: SubmitEvent): void {
    const paths = fileFieldsOf(this.#services).map(({ valuePath }) => valuePath);
    const { schema } = this.#services.form._getState();
    spreadFiles(data, { paths, taken: schema ? variableNames(schema) : [] });
    const places = this.#underWay().map(({ target }) => target.place);
    const waiting = paths.filter((path) => places.some((place) => samePath(place, path)));
    // Not under the field's id, where form-js keeps what it shows itself: the field says it as long as it is true.
    for (const path of waiting) errors[`${fieldName(path)}_upload`] = [this.words.stillUploading];
    this.sentTooEarly = waiting.length > 0;
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
