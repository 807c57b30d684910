/**
 * A form-js 2 module whose file fields upload what is chosen at once, with progress, and put the metadata into the
 * form's data: `createForm({ …, additionalModules: [filePicker({ uploader })] })`.
 */
import { FilePickerField } from "./filePickerField.ts";
import { type FilePickerOptions, FileUploads } from "./fileUploads.ts";
import type { FormServices } from "./formServices.ts";
import { indonesianTexts } from "./translation.ts";

export { type AttachedFile, filesIn, keepFiles } from "./attachedFiles.ts";
export { type Draft, dataWithDrafts } from "./draftsInForm.ts";
export type { FilePickerOptions } from "./fileUploads.ts";
export type { FormLimits, Usage } from "./limits.ts";
export { type Language, refusalIn, size } from "./words.ts";

/** One for each form: it knows that form's uploads. With Indonesian, form-js's own texts are Indonesian too. */
export function filePicker(options: FilePickerOptions): Record<string, unknown> {
  const names = [
    "config",
    "eventBus",
    "form",
    "formFields",
    "formFieldInstanceRegistry",
    "formFieldRegistry",
  ] as const;
  const create = (...parts: unknown[]) => {
    const services = Object.fromEntries(
      names.map((name, index) => [name, parts[index]]),
    ) as unknown as FormServices;
    // Typed text that form-js has not taken yet is lost when the form is drawn again, as it is when an upload ends.
    services.config.debounce = false;
    services.formFields.register("filepicker", FilePickerField);
    return new FileUploads(options, services);
  };
  return {
    __init__: ["fileUploads"],
    fileUploads: ["factory", Object.assign(create, { $inject: names })],
    ...(options.language === "id" ? indonesianTexts : {}),
  };
}
