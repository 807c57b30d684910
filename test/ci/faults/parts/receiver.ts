/**
 * The external system of the service tasks. It books tasks, records every request, and can be told to misbehave.
 *
 * It trusts the caller: a second request for a task books again, so that a mistake of Waybill shows. An operator who
 * sees that a task is booked can say so before a rerun. The receiver then answers without booking.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Received {
  readonly key: string;
  /** `<instance>:<activity>` */
  readonly task: string;
  readonly attempt: number;
  readonly at: number;
  readonly booked: boolean;
  readonly how: Behaviour;
}

/** `usual` answers 200 most of the time, and sometimes does one of the others. */
export type Behaviour = "usual" | "answers" | "slow" | "hangs" | "refuses" | "breaks off";

export interface Receiver {
  readonly port: number;
  readonly received: readonly Received[];
  behave(how: Behaviour): void;
  isBooked(task: string): boolean;
  /** An operator has seen that the task is booked: from now on it is answered, and not booked again. */
  acceptRepetition(task: string): void;
  stop(): Promise<void>;
}

export interface ReceiverOptions {
  readonly now: () => number;
  /** Called with each signed URL that a request carries. */
  readonly onUrl: (url: string) => Promise<void>;
}

const slowMs = 13_000;

export async function startReceiver({ now, onUrl }: ReceiverOptions): Promise<Receiver> {
  const received: Received[] = [];
  const booked = new Set<string>();
  const accepted = new Set<string>();
  const hanging: ServerResponse[] = [];
  let behaviour: Behaviour = "usual";

  const server = createServer(async (request, response) => {
    const key = String(request.headers["idempotency-key"] ?? "");
    const task = key.replace(/:\d+$/, "");
    const how = behaviour === "usual" ? today() : behaviour;
    const books =
      (how === "answers" || how === "slow" || (how === "breaks off" && Math.random() < 0.5)) &&
      !accepted.has(task);
    received.push({ key, task, attempt: Number(key.split(":").at(-1)), at: now(), booked: books, how });
    if (books) booked.add(task);
    const body = await textOf(request);
    await respond(response, how, body);
  });

  async function respond(response: ServerResponse, how: Behaviour, body: string): Promise<void> {
    if (how === "hangs") return void hanging.push(response);
    if (how === "breaks off") return void response.destroy();
    if (how === "refuses") return void response.writeHead(500).end("not today");
    const url = /"card":"(http[^"]+)"/.exec(body)?.[1];
    if (url) await onUrl(url);
    if (how === "slow") await Bun.sleep(slowMs);
    response.setHeader("content-type", "application/json").end('{"receipt":"R-1"}');
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    received,
    behave: (how) => {
      behaviour = how;
      // Half of the hanging requests end with the fault; the others wait for Waybill's time limit.
      for (const [index, response] of hanging.splice(0).entries()) if (index % 2 === 0) response.destroy();
    },
    isBooked: (task) => booked.has(task),
    acceptRepetition: (task) => void accepted.add(task),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function today(): Behaviour {
  const chance = Math.random();
  if (chance < 0.02) return "refuses";
  return chance < 0.035 ? "breaks off" : "answers";
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
  } catch {
    // Its sender is gone.
  }
  return Buffer.concat(chunks).toString();
}
