/** The files of one field, seen from form-js's data, and what a chosen file does to them. */
import { FormContext } from "@bpmn-io/form-js-viewer";
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import type { AttachmentMetadata } from "../generated/index.ts";
import { attachedFiles, fieldValue, valueAt } from "./attachedFiles.ts";
import { fieldName } from "./draftsInForm.ts";
import { changed, type FileUploads, type Target } from "./fileUploads.ts";
import { type FieldInstance, type FormServices, instanceKey } from "./formServices.ts";

export type Files = readonly AttachmentMetadata[];

export interface FieldFiles {
  readonly files: Files;
  remove(file: AttachmentMetadata): void;
  /** What a chosen file is uploaded for; the files of `replaced` make way for it. */
  target(accept: string, replaced: Files): Target;
}

interface FieldProps {
  readonly fieldInstance: FieldInstance;
  readonly value: unknown;
  onChange(update: { value: string | null }): void;
}

export function useFieldFiles(props: FieldProps): FieldFiles {
  const update = useUpdate(props);
  const without = (gone: Files) => {
    const ids = new Set(gone.map(({ attachment_id }) => attachment_id));
    return (files: Files) => files.filter(({ attachment_id }) => !ids.has(attachment_id));
  };
  return {
    files: attachedFiles(props.value),
    remove: (file) => update(without([file])),
    target: (accept, replaced) => ({
      key: instanceKey(props.fieldInstance),
      fieldName: fieldName(props.fieldInstance.valuePath),
      accept,
      replacedFiles: replaced.length,
      replacedBytes: replaced.reduce((sum, { size }) => sum + size, 0),
      makeRoom: () => update(without(replaced)),
      attach: (file) => update((files) => [...without(replaced)(files), file]),
    }),
  };
}

/** Changes the field's files, also long after the render that began an upload. */
function useUpdate(props: FieldProps): (change: (files: Files) => Files) => void {
  const form = useService<FormServices["form"]>("form");
  const latest = useRef(props);
  latest.current = props;
  return (change) => {
    const { fieldInstance, onChange } = latest.current;
    const files = attachedFiles(valueAt(form._getState().data, fieldInstance.valuePath));
    onChange({ value: fieldValue(change(files)) });
  };
}

/** The form's uploads; the field is drawn again when they change. */
export function useUploads(): FileUploads {
  const eventBus = useService<FormServices["eventBus"]>("eventBus");
  const [, redraw] = useState({});
  useEffect(() => {
    const listener = () => redraw({});
    eventBus.on(changed, listener);
    return () => eventBus.off(changed, listener);
  }, [eventBus]);
  return useService<FileUploads>("fileUploads");
}

function useService<Service>(name: string): Service {
  return useContext(FormContext).getService(name) as Service;
}
