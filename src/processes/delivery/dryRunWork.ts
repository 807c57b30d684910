/** Work of a dry run that another thread does: reads the service tasks of a model, and writes their requests. */
import { DeliveryFailure } from "../../infrastructure/outbound/failure.ts";
import { wireHeaders } from "../../infrastructure/outbound/headers.ts";
import { type ModelServiceTask, readOutline } from "../bpmn/modelOutline.ts";
import type { TypedValues } from "../variables/variable.ts";
import { type ParsedTask, parseModelTask } from "./modelServiceTask.ts";
import type { FileOccurrence } from "./placeholders.ts";
import { type Material, type Request, weightOf, writtenRequest } from "./request.ts";
import type { Failed } from "./requestWork.ts";
import { secretNamesIn } from "./secrets.ts";
import { sentRequest } from "./sentRequest.ts";
import type { ServiceTaskConfig } from "./serviceTask.ts";
import { createStandIns } from "./standIns.ts";

/** Service tasks of a model that are tried. */
export const mostTasks = 1_000;

export interface TriedTask extends ParsedTask, Pick<ModelServiceTask, "activityId" | "line" | "topic"> {}

export interface TriedTasks {
  readonly tasks: readonly TriedTask[];
  /** Service tasks of the model, of which `tasks` has the first ones. */
  readonly count: number;
}

/** None of a text that is not XML: its fault is that of the model. */
export function readTasks(bpmn: string): TriedTasks {
  const outline = readOutline(bpmn);
  const all = "fault" in outline ? [] : outline.serviceTasks;
  const tasks = all.slice(0, mostTasks).map((task) => {
    const { activityId, line, topic } = task;
    return { activityId, line, topic, ...parseModelTask(task) };
  });
  return { tasks, count: all.length };
}

export interface Writable {
  readonly activityId: string;
  readonly config: ServiceTaskConfig;
  readonly addonUrl: string | undefined;
}

export interface WriteOptions {
  readonly tasks: readonly Writable[];
  /** A File has its content in base64. */
  readonly variables: TypedValues;
  /** What the URLs of downloads begin with. */
  readonly downloads: string;
  /** Characters of all requests as JSON. */
  readonly mostCharacters: number;
}

export interface DryRequest {
  /** Method, URL, headers and body, as JSON. */
  readonly json: string;
  /** With stand-ins for secrets, so that it is a URL. */
  readonly url: string;
  readonly occurrences: readonly FileOccurrence[];
}

export type DryRequests = readonly (DryRequest | Failed)[] | "too_large";

/** Stops as soon as the requests are too large. The weight is compared first, so that no large request is written. */
export function writeRequests({ tasks, variables, downloads, mostCharacters }: WriteOptions): DryRequests {
  const requests: (DryRequest | Failed)[] = [];
  let left = mostCharacters;
  for (const { activityId, config, addonUrl } of tasks) {
    const material = { config, addonUrl, variables };
    const weight = weightOf(material);
    if (weight > left) return "too_large";
    const request = written(material, { activityId, downloads });
    left -= "json" in request ? Math.max(weight, request.json.length) : weight;
    if (left < 0) return "too_large";
    requests.push(request);
  }
  return requests;
}

interface Place {
  readonly activityId: string;
  readonly downloads: string;
}

function written(values: Material, place: Place): DryRequest | Failed {
  const standIns = createStandIns(values.config, secretNamesIn(values.config));
  try {
    const material = { ...values, secrets: standIns.secrets };
    const { occurrences } = writtenRequest(material);
    const urls = occurrences.map(({ attachmentId }) => {
      const path = place.downloads.replace("{attachment_id}", attachmentId.toLowerCase());
      return `${path}?token=${standIns.token}`;
    });
    const { request } = writtenRequest({ ...material, urls });
    const sent = sentRequest(request, { ...place, processInstanceId: "<process_instance_id>", attempt: 1 });
    wireHeaders(sent.headers);
    return { json: standIns.shown(jsonOf(sent)), url: sent.url, occurrences };
  } catch (error) {
    if (!(error instanceof DeliveryFailure)) throw error;
    return { failure: { code: error.code, message: error.message } };
  }
}

const jsonOf = ({ method, url, headers, body }: Request) =>
  JSON.stringify({ method, url, headers, body: body ?? null });
