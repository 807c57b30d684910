/** The form itself: form-js, with fields that upload a file as soon as it is chosen. */
import { createForm } from "@bpmn-io/form-js-viewer";
import { dataWithDrafts, filePicker, type Usage } from "../../sdk/src/formjs/index.ts";
import { createUploader } from "../../sdk/src/index.ts";
import type { DraftStorage } from "./draftStorage.ts";
import { baseUrl, type Session } from "./session.ts";
import type { Texts } from "./texts.ts";

export type Data = Record<string, unknown>;

export interface FilledFormOptions {
  readonly container: Element;
  readonly texts: Texts;
  readonly draftStorage: DraftStorage;
  onUsage(usage: Usage): void;
  /** The server refused a file. */
  onRefused(form: FilledForm, error: unknown): void;
  /** The visitor tried to send the form, but a field has a fault. */
  onFaults(): void;
  onSend(form: FilledForm, data: Data): void;
}

export interface FilledForm {
  setDisabled(disabled: boolean): void;
  destroy(): void;
}

export async function showForm(session: Session, options: FilledFormOptions): Promise<void> {
  const { container, texts, draftStorage, onSend, onFaults } = options;
  const { form: given, drafts } = session.startForm;
  const schema = withSendButton((given ?? noFields) as Schema, texts);
  const attached = drafts.filter((draft) => !draftStorage.isRemoved(draft));
  const shown: FilledForm = {
    setDisabled: (disabled) => form.setProperty("disabled", disabled),
    destroy: () => form.destroy(),
  };
  const form = await createForm({
    container,
    schema,
    data: dataWithDrafts(draftStorage.typedWith(drafts), attached, schema),
    additionalModules: [fileFields(session, shown, options)],
  });
  form.on("changed", ({ data }: { data: Data }) => draftStorage.saveTyped(data));
  // A reset empties the form, also of data from before a reload.
  form._setState({ initialData: form._getInitializedFieldData({}) });
  form.on("submit", ({ data, errors }: { data: Data; errors: object }) =>
    Object.keys(errors).length > 0 ? onFaults() : onSend(shown, data),
  );
}

function fileFields({ startForm, token, client }: Session, shown: FilledForm, options: FilledFormOptions) {
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

/** For a process without a form: the visitor only starts it. */
const noFields: Schema = { type: "default", components: [] };

/** Forms that were made for a tasklist often have no send button. */
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
  // Not the buttons of a file: the next press of Enter would stop its upload.
  const controls = 'input:not([type="file"]), select, textarea, button:not(.wb-small), [tabindex="0"]';
  const fields = [...container.querySelectorAll(".fjs-has-errors")];
  const [first] = fields.flatMap((field) => field.querySelector<HTMLElement>(controls) ?? []);
  first?.focus();
}
