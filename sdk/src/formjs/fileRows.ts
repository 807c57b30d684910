/** The rows of a file field: an attached file, a running upload, a refused file. */
import { type ComponentType, h, type VNode } from "preact";
import type { AttachedFile } from "./attachedFiles.ts";
import type { Upload } from "./fileUploads.ts";
import { type Language, type Messages, size } from "./messages.ts";

type Properties = Readonly<Record<string, unknown>>;
type Child = VNode | string | false | undefined;

/** preact's `h`, for elements and for form-js's components, whose properties are not typed. */
export const element = h as unknown as (
  type: string | ComponentType<never>,
  properties: Properties,
  ...children: readonly (Child | readonly Child[])[]
) => VNode;

export interface RowOptions {
  readonly messages: Messages;
  readonly language: Language;
}

/** `remove` is undefined if the field is locked. */
export function attachedRow(
  file: AttachedFile,
  { messages, language, remove }: RowOptions & { readonly remove?: (() => void) | undefined },
): VNode {
  const { attachmentId: key, fileName: name } = file;
  return element(
    "li",
    { key, class: "wb-file" },
    element("span", { class: "wb-file-name" }, name),
    element(
      "span",
      { class: "wb-file-size" },
      file.size === undefined ? undefined : size(file.size, language),
    ),
    remove && smallButton(messages.remove, { about: name, onClick: remove }),
  );
}

export interface UploadRowOptions extends RowOptions {
  dismiss(): void;
  retry(): void;
}

export const uploadRow = (upload: Upload, options: UploadRowOptions) =>
  upload.refusal === undefined ? runningRow(upload, options) : refusedRow(upload, options);

function runningRow({ file, progress }: Upload, { messages, dismiss }: UploadRowOptions): VNode {
  const percent = `${Math.round(progress * 100)} %`;
  return element(
    "li",
    { class: "wb-file" },
    element("span", { class: "wb-file-name" }, file.name),
    element("progress", { max: 1, value: progress, "aria-label": messages.uploading(file.name) }),
    element("span", { class: "wb-file-size", "aria-hidden": "true" }, percent),
    smallButton(messages.stop, { about: file.name, onClick: dismiss }),
  );
}

function refusedRow({ file, refusal, again }: Upload, { messages, dismiss, retry }: UploadRowOptions): VNode {
  return element(
    "li",
    { class: "wb-file wb-refused" },
    element("span", { class: "wb-file-name" }, file.name),
    again === true && smallButton(messages.retry, { about: file.name, onClick: retry }),
    smallButton(messages.dismiss, { about: file.name, onClick: dismiss }),
    element("span", { class: "wb-refusal", role: "alert" }, refusal),
  );
}

/** The visible text is short. The text for screen readers also names the file. */
function smallButton(text: string, { about, onClick }: { about: string; onClick: () => void }): VNode {
  const label = `${text}: ${about}`;
  return element("button", { type: "button", class: "wb-small", "aria-label": label, onClick }, text);
}
