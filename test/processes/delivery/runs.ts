/** Service tasks carried out without an engine: the tests say the properties and the variables. */

import type { Deps } from "../../../src/deps.ts";
import type { DeliveryFailure } from "../../../src/infrastructure/outbound/failure.ts";
import { deliver, type Outcome } from "../../../src/processes/delivery/deliver.ts";
import { parseServiceTask, type ServiceTaskConfig } from "../../../src/processes/delivery/serviceTask.ts";
import type { TypedValue, TypedValues } from "../../../src/processes/variables/variable.ts";
import {
  type Answer,
  type Partner,
  type PartnerOptions,
  type Received,
  startPartner,
} from "../../infrastructure/outbound/partner.ts";
import { type CommittedAttachment, freshInstance } from "../../support/attachments.ts";
import type { TestServer } from "../../support/server.ts";
import { failureOf } from "./failures.ts";

export type Properties = Readonly<Record<string, string>>;

export interface Given {
  readonly topic?: string;
  readonly properties: Properties;
  readonly variables?: TypedValues;
  readonly tenantId?: number;
  readonly processInstanceId?: string;
  readonly serviceTaskId?: string;
  readonly activityId?: string;
  readonly attempt?: number;
  readonly sending?: () => Promise<void>;
  /** In place of the server's own. */
  readonly deps?: Partial<Deps>;
}

export function configOf(properties: Properties, topic = "api-call"): ServiceTaskConfig {
  const parsed = parseServiceTask(topic, properties);
  if ("config" in parsed) return parsed.config;
  throw new Error(parsed.faults.join(" "));
}

export function carryOut(server: TestServer, given: Given): Promise<Outcome> {
  const { properties, topic, sending = async () => undefined, deps, variables = {}, ...rest } = given;
  const run = {
    tenantId: 1,
    processInstanceId: freshInstance(),
    serviceTaskId: crypto.randomUUID(),
    activityId: "call",
    attempt: 1,
    loadVariables: async () => ({ variables, written: () => {}, ended: () => {} }),
    config: configOf(properties, topic),
    ...rest,
  };
  return deliver(run, { sending }, { ...server.deps, ...deps });
}

/** The failure, and whether the point of no return was passed. */
export async function failing(
  server: TestServer,
  given: Given,
): Promise<{ readonly failure: DeliveryFailure; readonly passed: boolean }> {
  let passed = false;
  const sending = async () => {
    passed = true;
  };
  return { failure: await failureOf(() => carryOut(server, { sending, ...given })), passed };
}

/** A process variable of a new file: its metadata as a String. */
export const fileVariable = ({ metadata }: CommittedAttachment): TypedValue => ({
  type: "String",
  value: JSON.stringify(metadata),
});

export interface Receiver extends Partner {
  readonly url: string;
}

/** `use` is given a receiver, which is gone afterwards. */
export async function withReceiver<T>(
  use: (receiver: Receiver) => Promise<T>,
  { answer, ...options }: PartnerOptions & { readonly answer?: Answer } = {},
): Promise<T> {
  const partner = await startPartner(answer, options);
  const { port, received } = partner;
  const url = `${options.secure ? "https" : "http"}://127.0.0.1:${port}`;
  try {
    return await use({ port, received, stop: partner.stop, url });
  } finally {
    await partner.stop();
  }
}

export function onlyRequest({ received }: Receiver): Received {
  const [request, ...others] = received;
  if (!request || others.length > 0) throw new Error(`${received.length} requests came`);
  return request;
}

export const headerOf = ({ headers }: Received, name: string) =>
  headers.filter(([header]) => header === name).map(([, value]) => value);

/** Answers with this status, content type and body. */
export const answering =
  (status: number, contentType = "", body = ""): Answer =>
  (_, response) =>
    void response.writeHead(status, contentType ? { "content-type": contentType } : {}).end(body);
