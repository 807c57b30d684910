/** The `filepicker` field: the attached files, the running uploads, and a button to choose a file. */
import {
  Errors,
  Label,
  useExpressionEvaluation,
  useSingleLineTemplateEvaluation,
} from "@bpmn-io/form-js-viewer";
import type { VNode } from "preact";
import { useRef } from "preact/hooks";
import { type AttachedFile, attachedFiles } from "./attachedFiles.ts";
import { attachedRow, element, uploadRow } from "./fileRows.ts";
import type { FileUploads } from "./fileUploads.ts";
import type { FieldInstance } from "./formServices.ts";
import { allowedExtensions } from "./limits.ts";
import type { Path } from "./paths.ts";
import { useUploads } from "./useUploads.ts";

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
  onBlur(): void;
  onFocus(): void;
}

/** The state of a field for one rendering. */
interface View {
  readonly props: FieldProps;
  readonly place: Path;
  readonly uploads: FileUploads;
  readonly files: readonly AttachedFile[];
  readonly several: boolean;
  readonly accept: string;
  readonly extensions: readonly string[] | undefined;
  readonly faults: readonly string[];
  readonly locked: boolean;
}

export function FilePickerField(props: FieldProps): VNode {
  const { field, domId } = props;
  const uploads = useUploads();
  const files = attachedFiles(props.value);
  const several = useExpressionEvaluation(field.multiple) === true;
  const accept: string = useSingleLineTemplateEvaluation(field.accept ?? "", {}) ?? "";
  const input = useRef<HTMLInputElement>(null);
  const place = props.fieldInstance.valuePath;
  const extensions = allowedExtensions(accept, uploads.limits.extensions);
  const locked = props.disabled || props.readonly;
  const faults = [
    ...(props.errors ?? []),
    ...(isWaitedFor(uploads, place) ? [uploads.messages.stillUploading] : []),
  ];
  const view = { props, place, uploads, files, several, accept, extensions, faults, locked };
  const required = field.validate?.required === true;
  return element(
    "div",
    { class: classesOf(view), onFocusIn: props.onFocus, onFocusOut: props.onBlur },
    element(Label, { id: `${domId}-label`, htmlFor: domId, label: field.label, required }),
    element("input", { ...inputProperties(view), ref: input }),
    fileList(view),
    chooser(view, () => input.current?.click()),
    element("div", { class: "wb-said", role: "status" }, uploads.announcement(place)),
    element(Errors, { id: `${domId}-error-message`, errors: faults }),
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

const isWaitedFor = (uploads: FileUploads, place: Path) =>
  uploads.sentTooEarly && uploads.of(place).some(({ refusal }) => refusal === undefined);

function classesOf({ faults, props: { disabled, readonly } }: View): string {
  const states = { "fjs-has-errors": faults.length > 0, "fjs-disabled": disabled, "fjs-readonly": readonly };
  const names = Object.entries(states).flatMap(([name, holds]) => (holds ? [name] : []));
  return ["fjs-form-field", "fjs-form-field-filepicker", ...names].join(" ");
}

/** The browser's own field is hidden. The button opens it. */
function inputProperties(view: View): Record<string, unknown> {
  const { props, several, accept, extensions, locked } = view;
  return {
    type: "file",
    class: "fjs-hidden",
    id: `${props.domId}-input`,
    multiple: several,
    accept: accept || extensions?.map((extension) => `.${extension}`).join(","),
    disabled: locked,
    onChange: ({ currentTarget: input }: { currentTarget: HTMLInputElement }) => {
      const chosen = [...(input.files ?? [])];
      // Otherwise the same file could not be chosen again.
      input.value = "";
      if (chosen.length > 0) take(chosen, view);
    },
  };
}

/** Starts the uploads. A field for one file drops its running upload, and every field drops its refusals. */
function take(chosen: readonly File[], { uploads, place, several, accept }: View): void {
  for (const upload of uploads.of(place))
    if (!several || upload.refusal !== undefined) uploads.dismiss(upload);
  for (const file of chosen) uploads.begin(file, { place, accept, several });
}

function fileList({ props, place, uploads, files, locked }: View): VNode | false {
  const { messages, language } = uploads;
  const running = uploads.of(place);
  if (files.length + running.length === 0) return false;
  // The element that had the focus no longer exists.
  const focusButton = () => document.getElementById(props.domId)?.focus();
  const attached = files.map((file) => {
    const remove = () => {
      uploads.remove(place, file);
      focusButton();
    };
    return attachedRow(file, { messages, language, remove: locked ? undefined : remove });
  });
  const others = running.map((upload) => {
    const dismiss = () => {
      uploads.dismiss(upload);
      focusButton();
    };
    return uploadRow(upload, { messages, language, dismiss, retry: () => uploads.retry(upload) });
  });
  return element("ul", { class: "wb-files", "aria-labelledby": `${props.domId}-label` }, attached, others);
}

function chooser({ props, uploads, files, several, extensions, faults, locked }: View, open: () => void) {
  const { domId } = props;
  const { messages, limits } = uploads;
  const text = several ? messages.add : files.length > 0 ? messages.replace : messages.choose;
  const described = [...(faults.length > 0 ? [`${domId}-error-message`] : []), `${domId}-hint`];
  const properties = {
    type: "button",
    id: domId,
    class: "fjs-button fjs-filepicker-button",
    disabled: locked,
    "aria-labelledby": `${domId} ${domId}-label`,
    "aria-describedby": described.join(" "),
    onClick: open,
  };
  const hint = extensions && messages.allowed(extensions, limits.maxFileBytes);
  return element(
    "div",
    { class: "fjs-filepicker-container" },
    element("button", properties, text),
    element("span", { class: "wb-hint", id: `${domId}-hint` }, hint),
  );
}
