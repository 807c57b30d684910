/** The service behind the file fields of one form: what is on its way, what was refused, what there is room for. */
import type { AttachmentMetadata } from "../generated/index.ts";
import { FileRefused, type Limits, type Uploader } from "../uploader.ts";
import { spreadFiles } from "./attachedFiles.ts";
import { createDrafts } from "./drafts.ts";
import type { Draft } from "./draftsInForm.ts";
import {
  type FieldInstance,
  type FormServices,
  type FormState,
  type SubmitEvent,
  valueAt,
} from "./formServices.ts";
import { checkLimits, type FormLimits, type Usage } from "./limits.ts";
import { type Language, refusalIn, type Words, wordsIn } from "./words.ts";

export interface FilePickerOptions {
  readonly uploader: Uploader;
  /** English by default. */
  readonly language?: Language;
  /** What is known beforehand; what is left out is asked of the uploader. */
  readonly limits?: FormLimits;
  /** Of an earlier visit, which the form's data may name. */
  readonly drafts?: readonly Draft[];
  /** What the form's files take up, after each change. */
  readonly onUsage?: (usage: Usage) => void;
  /** The server's refusal of an upload, also said beside the field. */
  readonly onRefused?: (error: unknown) => void;
}

/** A file that is on its way, or was refused. */
export interface Upload {
  readonly file: File;
  /** 0 to 1. */
  readonly progress: number;
  readonly refusal?: string;
  /** Whether sending it again may help. */
  readonly again?: boolean;
}

/** A field that takes a file. */
export interface Target {
  /** The field's key in the form, as the upload's `field_name`. */
  readonly fieldName: string;
  readonly accept: string;
  /** Bytes of a file that makes way for this one. */
  readonly replaced: number;
  /** Takes the file that is replaced out of the form's data, where there is no room for both. */
  makeRoom(): void;
  attach(file: AttachmentMetadata): void;
}

export interface FileUploads {
  readonly words: Words;
  readonly language: Language;
  limits(): FormLimits;
  of(field: string): readonly Upload[];
  /** What has just happened, for a screen reader. */
  said(field: string): string;
  say(field: string, text: string): void;
  begin(field: string, file: File, target: Target): void;
  /** Stops an upload, or puts a refusal away. */
  dismiss(field: string, upload: Upload): void;
  retry(field: string, upload: Upload): void;
  /** Whether the form was sent too early. */
  waitedFor(): boolean;
}

interface Running {
  upload: Upload;
  readonly target: Target;
  readonly stop: AbortController;
}

export const changed = "fileUploads.changed";

export function createFileUploads(options: FilePickerOptions, services: FormServices): FileUploads {
  const { uploader, language = "en", onUsage, onRefused } = options;
  const { eventBus } = services;
  const words = wordsIn(language);
  const fields = new Map<string, Running[]>();
  const said = new Map<string, string>();
  const drafts = createDrafts(
    uploader,
    (options.drafts ?? []).map(({ metadata }) => metadata),
  );
  let limits: FormLimits = options.limits ?? {};
  let sentTooEarly = false;

  const of = (field: string) => fields.get(field) ?? [];
  const uploading = () => [...fields.values()].flat().filter(({ upload }) => upload.refusal === undefined);
  const usage = (): Usage => {
    const { files, bytes } = drafts.usage();
    const sizes = uploading().map(({ upload }) => upload.file.size);
    return { files: files + sizes.length, bytes: sizes.reduce((sum, size) => sum + size, bytes) };
  };
  const tell = () => {
    if (uploading().length === 0) sentTooEarly = false;
    eventBus.fire(changed);
    onUsage?.(usage());
  };
  const say = (field: string, text: string) => {
    said.set(field, text);
    eventBus.fire(changed);
  };
  const leave = (field: string, running: Running) => {
    const others = of(field).filter((other) => other !== running);
    if (others.length === 0) fields.delete(field);
    else fields.set(field, others);
  };

  const roomFor = async (file: File, { target, stop }: Running) => {
    const claim = () => {
      const { files, bytes } = usage();
      return { ...limits, accept: target.accept, usage: { files: files - 1, bytes: bytes - file.size } };
    };
    try {
      checkLimits(file, claim(), words);
    } catch (error) {
      const isFull = error instanceof FileRefused && error.code === "session_quota_exceeded";
      if (!isFull || target.replaced === 0) throw error;
      const { usage: now, ...rest } = claim();
      const without = { files: now.files - 1, bytes: now.bytes - target.replaced };
      checkLimits(file, { ...rest, usage: without }, words);
      target.makeRoom();
      await drafts.settled();
      stop.signal.throwIfAborted();
    }
  };

  const run = async (field: string, running: Running) => {
    const { target, stop } = running;
    const { file } = running.upload;
    const show = (upload: Partial<Upload>) => {
      running.upload = { ...running.upload, ...upload };
      tell();
    };
    try {
      await roomFor(file, running);
      say(field, words.uploading(file.name));
      const metadata = await uploader.upload(file, {
        fieldName: target.fieldName,
        signal: stop.signal,
        onProgress: (progress) => show({ progress }),
      });
      leave(field, running);
      drafts.add(metadata);
      target.attach(metadata);
      said.set(field, words.uploaded(metadata.file_name));
      tell();
    } catch (error) {
      if (stop.signal.aborted) return;
      show({ refusal: refusalIn(language, error), again: mayHelpAgain(error) });
      onRefused?.(error);
    }
  };
  const begin = (field: string, file: File, target: Target) => {
    const running = { upload: { file, progress: 0 }, target, stop: new AbortController() };
    fields.set(field, [...of(field), running]);
    tell();
    void run(field, running);
  };
  const dismiss = (field: string, upload: Upload) => {
    const running = of(field).find((other) => other.upload === upload);
    if (!running) return;
    running.stop.abort();
    leave(field, running);
    tell();
  };

  eventBus.on("changed", ({ data }: FormState) => {
    if (data === null) return;
    drafts.follow(data);
    onUsage?.(usage());
  });
  // Before every other listener: they see the files as variables, and an upload under way as an error.
  eventBus.on("submit", 5_000, ({ data, errors }: SubmitEvent) => {
    const instances = fileFields(services);
    spreadFiles(
      data,
      instances.map(({ valuePath }) => ({ path: valuePath, value: valueAt(data, valuePath) })),
    );
    sentTooEarly = uploading().length > 0;
    for (const instance of instances) {
      if (of(instanceKey(instance)).some(({ upload }) => upload.refusal === undefined))
        errors[instance.id] = [words.stillUploading];
    }
    eventBus.fire(changed);
  });
  void fillIn(uploader, limits).then((filled) => {
    limits = filled;
    tell();
  });

  return {
    words,
    language,
    limits: () => limits,
    of: (field) => of(field).map(({ upload }) => upload),
    said: (field) => said.get(field) ?? "",
    say,
    begin,
    dismiss,
    retry: (field, upload) => {
      const running = of(field).find((other) => other.upload === upload);
      dismiss(field, upload);
      if (running) begin(field, upload.file, running.target);
    },
    waitedFor: () => sentTooEarly,
  };
}

/** What the options leave open. Without an answer nothing is known beforehand, and the server says no. */
async function fillIn(uploader: Uploader, limits: FormLimits): Promise<FormLimits> {
  if (limits.extensions && limits.maxFileBytes !== undefined) return limits;
  const known: Limits | undefined = await uploader.limits().catch(() => undefined);
  return known ? { extensions: known.extensions, maxFileBytes: known.maxBytes, ...limits } : limits;
}

const mayHelpAgain = (error: unknown) =>
  !(error instanceof FileRefused) && !(hasStatus(error) && error.status < 500 && error.status !== 429);

const hasStatus = (error: unknown): error is { readonly status: number } =>
  typeof error === "object" && error !== null && "status" in error;

function fileFields({
  formFieldInstanceRegistry,
  formFieldRegistry,
}: FormServices): readonly FieldInstance[] {
  return formFieldInstanceRegistry
    .getAllKeyed()
    .filter(({ id }) => formFieldRegistry.get(id)?.type === "filepicker");
}

/** A field of the schema, and its place in the lists that it stands in. */
export const instanceKey = ({ id, indexes = {} }: Pick<FieldInstance, "id" | "indexes">) =>
  [id, ...Object.values(indexes)].join("_");
