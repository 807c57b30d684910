/** The files in a form's data, by their path. */
import { type AttachedFile, attachedFiles, fieldValue, keepFiles } from "./attachedFiles.ts";
import { type FormServices, fileFieldsOf } from "./formServices.ts";
import { lacksRow, type Path, put, samePath, valueAt } from "./paths.ts";

export interface FormFiles {
  at(place: Path): readonly AttachedFile[];
  /** Also works for a field that is hidden. Does not bring a removed row back. */
  set(place: Path, files: readonly Pick<AttachedFile, "metadata">[]): void;
  /** Removes these files from the data that a reset restores. */
  forgetInitially(attachmentIds: readonly string[]): void;
}

export function createFormFiles(services: FormServices): FormFiles {
  const { form, formFieldRegistry } = services;
  return {
    at: (place) => attachedFiles(valueAt(form._getState().data, place)),
    set: (place, files) => {
      const { data } = form._getState();
      if (data === null || lacksRow(data, place)) return;
      const value = fieldValue(files);
      const fieldInstance = fileFieldsOf(services).find(({ valuePath }) => samePath(valuePath, place));
      if (fieldInstance) {
        const { id, indexes } = fieldInstance;
        form._update({ field: formFieldRegistry.get(id), indexes, fieldInstance, value });
      } else {
        const changed = structuredClone(data);
        put(changed, place, value);
        form._setState({ data: changed });
      }
    },
    forgetInitially: (ids) => {
      const { initialData } = form._getState();
      const isOther = ({ attachmentId }: AttachedFile) => !ids.includes(attachmentId);
      if (ids.length > 0) form._setState({ initialData: keepFiles(initialData, isOther) });
    },
  };
}
