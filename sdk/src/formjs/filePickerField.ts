/** The `filepicker` field: the attached files, those on their way, and a button to choose one. */
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

/** A field as it stands at one moment. */
interface Moment {
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
    ...(isWaitedFor(uploads, place) ? [uploads.words.stillUploading] : []),
  ];
  const moment = { props, place, uploads, files, several, accept, extensions, faults, locked };
  const required = field.validate?.required === true;
  return element(
    "div",
    { class: classesOf(moment), onFocusIn: props.onFocus, onFocusOut: props.onBlur },
    element(Label, { id: `${domId}-label`, htmlFor: domId, label: field.label, required }),
    element("input", { ...inputProperties(moment), ref: input }),
    fileList(moment),
    chooser(moment, () => input.current?.click()),
    element("div", { class: "wb-said", role: "status" }, uploads.said(place)),
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

function classesOf({ faults, props: { disabled, readonly } }: Moment): string {
  const states = { "fjs-has-errors": faults.length > 0, "fjs-disabled": disabled, "fjs-readonly": readonly };
  const names = Object.entries(states).flatMap(([name, holds]) => (holds ? [name] : []));
  return ["fjs-form-field", "fjs-form-field-filepicker", ...names].join(" ");
}

/** The browser's own field is never seen: the button opens it. */
function inputProperties(moment: Moment): Record<string, unknown> {
  const { props, several, accept, extensions, locked } = moment;
  return {
    type: "file",
    class: "fjs-hidden",
    id: `${props.domId}-input`,
    multiple: several,
    accept: accept || extensions?.map((extension) => `.${extension}`).join(","),
    disabled: locked,
    onChange: ({ currentTarget: input }: { currentTarget: HTMLInputElement }) => {
      const chosen = [...(input.files ?? [])];
      // So that the same file can be chosen again.
      input.value = "";
      if (chosen.length > 0) take(chosen, moment);
    },
  };
}

/** In a field for one file, the new one takes the place of whatever is there; refusals are put away in any. */
function take(chosen: readonly File[], { uploads, place, several, accept }: Moment): void {
  for (const upload of uploads.of(place))
    if (!several || upload.refusal !== undefined) uploads.dismiss(upload);
  for (const file of chosen) uploads.begin(file, { place, accept, several });
}

function fileList({ props, place, uploads, files, locked }: Moment): VNode | false {
  const { words, language } = uploads;
  const running = uploads.of(place);
  if (files.length + running.length === 0) return false;
  // What had the focus is gone.
  const focusButton = () => document.getElementById(props.domId)?.focus();
  const attached = files.map((file) => {
    const remove = () => {
      uploads.remove(place, file);
      focusButton();
    };
    return attachedRow(file, { words, language, remove: locked ? undefined : remove });
  });
  const others = running.map((upload) => {
    const dismiss = () => {
      uploads.dismiss(upload);
      focusButton();
    };
    return uploadRow(upload, { words, language, dismiss, retry: () => uploads.retry(upload) });
  });
  return element("ul", { class: "wb-files", "aria-labelledby": `${props.domId}-label` }, attached, others);
}

function chooser({ props, uploads, files, several, extensions, faults, locked }: Moment, open: () => void) {
  const { domId } = props;
  const { words, limits } = uploads;
  const text = several ? words.add : files.length > 0 ? words.replace : words.choose;
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
  const hint = extensions && words.allowed(extensions, limits.maxFileBytes);
  return element(
    "div",
    { class: "fjs-filepicker-container" },
    element("button", properties, text),
    element("span", { class: "wb-hint", id: `${domId}-hint` }, hint),
  );
}
