/** The form itself: form-js with files that are uploaded as they are chosen. */
import { createForm } from "@bpmn-io/form-js-viewer";
import { dataWithDrafts, filePicker, type Usage } from "../../sdk/src/formjs/index.ts";
import { createUploader } from "../../sdk/src/index.ts";
import type { Kept } from "./kept.ts";
import type { Texts } from "./texts.ts";
import { baseUrl, type Visit } from "./visit.ts";

export type Data = Record<string, unknown>;

export interface FilledFormOptions {
  readonly container: Element;
  readonly texts: Texts;
  readonly kept: Kept;
  onUsage(usage: Usage): void;
  /** The server refused a file. */
  onRefused(form: FilledForm, error: unknown): void;
  /** The form was sent while something in it was wrong. */
  onFaults(): void;
  onSend(form: FilledForm, data: Data): void;
}

export interface FilledForm {
  setDisabled(disabled: boolean): void;
  destroy(): void;
}

export async function showForm(visit: Visit, options: FilledFormOptions): Promise<void> {
  const { container, texts, kept, onSend, onFaults } = options;
  const { form: given, drafts } = visit.startForm;
  const schema = withSendButton((given ?? noFields) as Schema, texts);
  const attached = drafts.filter((draft) => !kept.isRemoved(draft));
  const shown: FilledForm = {
    setDisabled: (disabled) => form.setProperty("disabled", disabled),
    destroy: () => form.destroy(),
  };
  const form = await createForm({
    container,
    schema,
    data: dataWithDrafts(kept.typedWith(drafts), attached, schema),
    additionalModules: [fileFields(visit, shown, options)],
  });
  form.on("changed", ({ data }: { data: Data }) => kept.keepTyped(data));
  // A reset empties the form, also of what an earlier visit left in it.
  form._setState({ initialData: form._getInitializedFieldData({}) });
  form.on("submit", ({ data, errors }: { data: Data; errors: object }) =>
    Object.keys(errors).length > 0 ? onFaults() : onSend(shown, data),
  );
}

function fileFields({ startForm, token, client }: Visit, shown: FilledForm, options: FilledFormOptions) {
  const { limits, drafts } = startForm;
  return filePicker({
    uploader: createUploader({ baseUrl, formToken: token }),
    language: options.texts.language,
    limits: {
      extensions: limits.extensions,
      maxFileBytes: limits.max_file_bytes,
      maxFiles: limits.max_files,
      maxTotalBytes: limits.max_total_bytes,
    },
    drafts,
    findDrafts: async () => (await client.formSessions.getStartForm()).drafts,
    onUsage: options.onUsage,
    onRefused: (error) => options.onRefused(shown, error),
  });
}

interface Schema {
  readonly type?: string;
  readonly action?: string;
  readonly components?: readonly Schema[];
}

/** A process may start without a form; it still wants to be started. */
const noFields: Schema = { type: "default", components: [] };

/** Forms for a tasklist often have no button of their own. */
function withSendButton(schema: Schema, { send }: Texts): Schema {
  const isSend = ({ type, action = "submit" }: Schema) => type === "button" && action === "submit";
  if (hasAny(schema, isSend)) return schema;
  const own = { type: "button", action: "submit", id: "send_the_form", label: send };
  return { ...schema, components: [...(schema.components ?? []), own] };
}

export const takesFiles = (schema: unknown) =>
  hasAny((schema ?? noFields) as Schema, ({ type }) => type === "filepicker");

const hasAny = (schema: Schema, test: (component: Schema) => boolean): boolean =>
  test(schema) || (schema.components ?? []).some((component) => hasAny(component, test));

/** Moves the focus to the first field that has a fault. */
export function focusFirstFault(container: Element): void {
  // Not a file's own buttons: who presses Enter once more would stop its upload.
  const controls = 'input:not([type="file"]), select, textarea, button:not(.wb-small), [tabindex="0"]';
  const fields = [...container.querySelectorAll(".fjs-has-errors")];
  const [first] = fields.flatMap((field) => field.querySelector<HTMLElement>(controls) ?? []);
  first?.focus();
}
