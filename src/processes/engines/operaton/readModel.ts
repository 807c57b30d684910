/** Reads of a model what has to be right before it goes to the engine, which judges everything else. */
import { type ExecutableProcess, type ModelOutline, readOutline } from "../../bpmn/modelOutline.ts";
import { camundaNamespace } from "../../bpmn/xml.ts";
import { parseModelTask } from "../../delivery/modelServiceTask.ts";

/** Faults of one model in an answer. */
const mostFaults = 100;

export interface EngineModel extends Pick<ModelOutline, "processes" | "formRefs"> {
  /** Sentences about the service tasks, and about a text that is not XML. */
  readonly faults: readonly string[];
}

export function readModel(xml: string): EngineModel {
  const outline = readOutline(xml);
  if ("fault" in outline) return { processes: [], formRefs: new Set(), faults: [outline.fault] };
  const { processes, formRefs, serviceTasks } = outline;
  const faults: string[] = [];
  for (const task of serviceTasks) {
    if (faults.length >= mostFaults) break;
    const place = `Line ${task.line}, "${task.activityId}"`;
    faults.push(...parseModelTask(task).faults.map((fault) => `${place}: ${fault}`));
  }
  return { processes, formRefs, faults };
}

/** Days for which the engine keeps an instance that has ended, if the model does not say it. */
export const historyDays = 180;

const historyTime = ` xmlns:waybill="${camundaNamespace}" waybill:historyTimeToLive="P${historyDays}D"`;

/** The model as it was before `withHistoryTime`. */
export const withoutHistoryTime = (xml: string) => xml.replaceAll(historyTime, "");

/** The model with a time for the history of each process that names none. */
export function withHistoryTime(xml: string, processes: readonly ExecutableProcess[]): string {
  let text = "";
  let copied = 0;
  for (const { historyAt } of processes) {
    if (historyAt === undefined || !/^\/?>/.test(xml.slice(historyAt, historyAt + 2))) continue;
    text += xml.slice(copied, historyAt) + historyTime;
    copied = historyAt;
  }
  return text + xml.slice(copied);
}
