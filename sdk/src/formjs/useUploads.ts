/** The form's uploads, for use in a field. */
import { FormContext } from "@bpmn-io/form-js-viewer";
import { useContext, useEffect, useState } from "preact/hooks";
import { changed, type FileUploads } from "./fileUploads.ts";
import type { FormServices } from "./formServices.ts";

/** Draws the field again when an upload changes. */
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
