/** The `filepicker` field: a button, the attached files, and those on their way. */
import {
  Errors,
  FormContext,
  Label,
  useExpressionEvaluation,
  useSingleLineTemplateEvaluation,
} from "@bpmn-io/form-js-viewer";
import { type ComponentType, h, type VNode } from "preact";
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import type { AttachmentMetadata } from "../generated/index.ts";
import { attachedFiles, fieldValue } from "./attachedFiles.ts";
import { fieldName } from "./draftsInForm.ts";
import { changed, type FileUploads, instanceKey, type Target, type Upload } from "./fileUploads.ts";
import { type FieldInstance, type FormServices, valueAt } from "./formServices.ts";
import { allowedExtensions } from "./limits.ts";
import { size } from "./words.ts";

interface FieldProps {
  readonly field: {
    readonly id: string;
    readonly label?: string;
    readonly accept?: string;
    readonly multiple?: unknown;
    readonly validate?: { readonly required?: boolean };
  };
  readonly fieldInstance: FieldInstance;
  readonly value: unknown;
  readonly domId: string;
  readonly errors?: readonly string[];
  readonly disabled: boolean;
  readonly readonly: boolean;
  onChange(update: { value: string | null }): void;
  onBlur(): void;
  onFocus(): void;
}

type Files = readonly AttachmentMetadata[];
const element = h as (
  type: string | ComponentType<never>,
  props: object | null,
  ...children: unknown[]
) => VNode;

export function FilePickerField(props: FieldProps): VNode {
  const { field, domId, errors = [], disabled, readonly } = props;
  const uploads = useUploads();
  const several = useExpressionEvaluation(field.multiple) === true;
  const accept: string = useSingleLineTemplateEvaluation(field.accept ?? "", {}) ?? "";
  const input = useRef<HTMLInputElement>(null);
  const { files, update } = useFiles(props);
  const key = instanceKey(props.fieldInstance);
  const { words, language } = uploads;
  const isLocked = disabled || readonly;
  const required = field.validate?.required === true;
  const running = uploads.of(key);
  const extensions = allowedExtensions(accept, uploads.limits().extensions);

  const choose = (event: Event) => {
    const chosen = [...((event.target as HTMLInputElement).files ?? [])];
    // So that the same file can be chosen again.
    (event.target as HTMLInputElement).value = "";
    if (chosen.length === 0) return;
    if (!several || chosen.length > 0)
      for (const upload of uploads.of(key)) if (!several || upload.refusal) uploads.dismiss(key, upload);
    const replaced: Files = several ? [] : files;
    for (const file of chosen)
      uploads.begin(key, file, targetOf({ fieldInstance: props.fieldInstance, accept, replaced, update }));
  };
  const focusButton = () => document.getElementById(domId)?.focus();
  const remove = (file: AttachmentMetadata) => {
    update((now) => now.filter((other) => other.attachment_id !== file.attachment_id));
    uploads.say(key, words.removed(file.file_name));
    focusButton();
  };
  const dismiss = (upload: Upload) => {
    uploads.dismiss(key, upload);
    focusButton();
  };

  const messages = [...errors, ...(uploads.waitedFor() && isAnySent(running) ? [words.stillUploading] : [])];
  const ids = { label: `${domId}-label`, hint: `${domId}-hint`, errors: `${domId}-error-message` };
  const buttonText = several ? words.add : files.length > 0 ? words.replace : words.choose;
  return element(
    "div",
    {
      class: classesOf({ errors: messages, disabled, readonly }),
      onFocusOut: props.onBlur,
      onFocusIn: props.onFocus,
    },
    element(Label as never, { id: ids.label, htmlFor: domId, label: field.label, required }),
    element("input", {
      ref: input,
      type: "file",
      class: "fjs-hidden",
      id: `${domId}-input`,
      tabIndex: -1,
      "aria-hidden": "true",
      multiple: several,
      accept: accept || extensions?.map((extension) => `.${extension}`).join(","),
      disabled: isLocked,
      onChange: choose,
    }),
    (files.length > 0 || running.length > 0) &&
      element(
        "ul",
        { class: "wb-files", "aria-labelledby": ids.label },
        files.map((file) =>
          element(
            "li",
            { key: file.attachment_id, class: "wb-file" },
            element("span", { class: "wb-file-name" }, file.file_name),
            element("span", { class: "wb-file-size" }, size(file.size, language)),
            !isLocked && smallButton(words.remove, file.file_name, () => remove(file)),
          ),
        ),
        running.map((upload, index) => uploadRow({ upload, index, uploads, field: key, dismiss })),
      ),
    element(
      "div",
      { class: "fjs-filepicker-container" },
      element(
        "button",
        {
          type: "button",
          id: domId,
          class: "fjs-button fjs-filepicker-button",
          disabled: isLocked,
          "aria-labelledby": `${domId} ${ids.label}`,
          "aria-describedby": [...(messages.length > 0 ? [ids.errors] : []), ids.hint].join(" "),
          "aria-invalid": messages.length > 0 ? "true" : undefined,
          onClick: () => input.current?.click(),
        },
        buttonText,
      ),
      element(
        "span",
        { class: "wb-hint", id: ids.hint },
        extensions && words.allowed(extensions, uploads.limits().maxFileBytes),
      ),
    ),
    element("div", { class: "wb-said", role: "status" }, uploads.said(key)),
    element(Errors as never, { id: ids.errors, errors: messages }),
  );
}

FilePickerField.config = {
  type: "filepicker",
  keyed: true,
  label: "File picker",
  group: "basic-input",
  emptyValue: null,
  create: (options: object = {}) => ({ ...options }),
};

interface Row {
  readonly upload: Upload;
  readonly index: number;
  readonly uploads: FileUploads;
  readonly field: string;
  dismiss(upload: Upload): void;
}

function uploadRow({ upload, index, uploads, field, dismiss }: Row): VNode {
  const { words } = uploads;
  const { file, progress, refusal, again } = upload;
  const name = element("span", { class: "wb-file-name" }, file.name);
  const properties = { key: `${index} ${file.name}`, class: "wb-file" };
  if (refusal === undefined)
    return element(
      "li",
      properties,
      name,
      element("progress", {
        class: "wb-progress",
        max: 1,
        value: progress,
        "aria-label": words.uploading(file.name),
      }),
      element("span", { class: "wb-file-size", "aria-hidden": "true" }, `${Math.round(progress * 100)} %`),
      smallButton(words.stop, file.name, () => dismiss(upload)),
    );
  return element(
    "li",
    { ...properties, class: "wb-file wb-refused" },
    name,
    again === true && smallButton(words.retry, file.name, () => uploads.retry(field, upload)),
    smallButton(words.dismiss, file.name, () => dismiss(upload)),
    element("span", { class: "wb-refusal", role: "alert" }, refusal),
  );
}

/** What is seen is short; what is heard says which file. */
const smallButton = (text: string, about: string, onClick: () => void) =>
  element("button", { type: "button", class: "wb-small", "aria-label": `${text}: ${about}`, onClick }, text);

const isAnySent = (running: readonly Upload[]) => running.some(({ refusal }) => refusal === undefined);

function classesOf({
  errors,
  disabled,
  readonly,
}: Required<Pick<FieldProps, "errors" | "disabled" | "readonly">>) {
  const more = { "fjs-has-errors": errors.length > 0, "fjs-disabled": disabled, "fjs-readonly": readonly };
  const names = Object.entries(more).flatMap(([name, holds]) => (holds ? [name] : []));
  return ["fjs-form-field", "fjs-form-field-filepicker", ...names].join(" ");
}

type Update = (change: (files: Files) => Files) => void;

interface Choice {
  readonly fieldInstance: FieldInstance;
  readonly accept: string;
  readonly replaced: Files;
  readonly update: Update;
}

function targetOf({ fieldInstance, accept, replaced, update }: Choice): Target {
  const gone = new Set(replaced.map(({ attachment_id }) => attachment_id));
  const others = (files: Files) => files.filter(({ attachment_id }) => !gone.has(attachment_id));
  return {
    fieldName: fieldName(fieldInstance.valuePath),
    accept,
    replaced: replaced.reduce((sum, file) => sum + file.size, 0),
    makeRoom: () => update(others),
    attach: (file) => update((files) => [...others(files), file]),
  };
}

/** The field's files, and a way to change them that an upload can use long after the render that began it. */
function useFiles(props: FieldProps): { files: Files; update: Update } {
  const form = useService<FormServices["form"]>("form");
  const latest = useRef(props);
  latest.current = props;
  const update: Update = (change) => {
    const { fieldInstance, onChange } = latest.current;
    const files = attachedFiles(valueAt(form._getState().data, fieldInstance.valuePath));
    onChange({ value: fieldValue(change(files)) });
  };
  return { files: attachedFiles(props.value), update };
}

function useService<Service>(name: string): Service {
  return useContext(FormContext).getService(name) as Service;
}

/** The form's uploads; the field is drawn again when they change. */
function useUploads(): FileUploads {
  const eventBus = useService<FormServices["eventBus"]>("eventBus");
  const [, redraw] = useState({});
  useEffect(() => {
    const listener = () => redraw({});
    eventBus.on(changed, listener);
    return () => eventBus.off(changed, listener);
  }, [eventBus]);
  return useService<FileUploads>("fileUploads");
}
