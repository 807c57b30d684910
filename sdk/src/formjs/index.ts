/**
 * A form-js 2 module. Its file fields upload a file as soon as it is chosen, show the progress, and put the metadata
 * into the form's data: `createForm({ …, additionalModules: [filePicker({ uploader })] })`.
 */
import { FilePickerField } from "./filePickerField.ts";
import { type FilePickerOptions, FileUploads } from "./fileUploads.ts";
import type { FormServices } from "./formServices.ts";
import { indonesianTexts } from "./translation.ts";

export { type AttachedFile, filesIn, keepFiles } from "./attachedFiles.ts";
export { type Draft, dataWithDrafts } from "./draftsInForm.ts";
export type { FilePickerOptions } from "./fileUploads.ts";
export type { FormLimits, Usage } from "./limits.ts";
export { type Language, refusalIn, size } from "./messages.ts";

/** Each form needs its own module, which holds its uploads. In Indonesian, it also translates form-js's own texts. */
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
    // The form is drawn again when an upload ends. With debounce, text that was typed just before would be lost.
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
