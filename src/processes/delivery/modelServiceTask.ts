/** What a service task of a model is configured to send: the same in a deployment and in a dry run. */
import type { ModelServiceTask } from "../bpmn/modelOutline.ts";
import { parseServiceTask, type ServiceTaskConfig } from "./serviceTask.ts";

export interface ParsedTask {
  /** Undefined if the properties have faults. */
  readonly config: ServiceTaskConfig | undefined;
  /** Sentences for the modeler. */
  readonly faults: readonly string[];
}

/** An engine takes the last of two properties of one name. Nobody can want that, so it is a fault. */
export function parseModelTask({ topic, properties, repeated }: ModelServiceTask): ParsedTask {
  const parsed = parseServiceTask(topic, properties);
  const faults = [
    ...repeated.map((name) => `The property "${name}" is there twice.`),
    ...("faults" in parsed ? parsed.faults : []),
  ];
  return { config: "config" in parsed ? parsed.config : undefined, faults };
}
