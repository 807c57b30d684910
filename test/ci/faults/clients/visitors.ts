/** Visitors of an embedded form, each with another address, who repeat requests until they are answered. */
import type { Answer, Request } from "../http.ts";
import { pause, type Trial, times } from "../trial.ts";
import { picture } from "./pictures.ts";

export interface Visitors {
  /** For each form session, the instances that the answers named. */
  readonly visits: ReadonlyMap<string, ReadonlySet<string>>;
  readonly loops: readonly Promise<void>[];
}

export interface Embed {
  readonly tenant: number;
  readonly id: string;
}

const base = "/api/v1/probis/public";

export function receiveVisitors(trial: Trial, embeds: readonly Embed[]): Visitors {
  const visits = new Map<string, Set<string>>();
  let visitors = 0;
  const visitor = async (embed: Embed) => {
    while (trial.going()) {
      const number = ++visitors;
      const from = `198.${18 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`;
      await visit(trial, { embed, from, visits });
      await pause(400);
    }
  };
  return { visits, loops: embeds.flatMap((embed) => times(2, () => visitor(embed))) };
}

interface Visit {
  readonly embed: Embed;
  readonly from: string;
  readonly visits: Map<string, Set<string>>;
}

async function visit(trial: Trial, { embed, from, visits }: Visit): Promise<void> {
  const ask = (request: Omit<Request, "tenant">) => persist(trial, { ...request, tenant: embed.tenant });
  const headers = { "x-forwarded-for": from };
  const session = await ask({
    operation: "createFormSession",
    to: `POST ${base}/form-sessions`,
    headers,
    body: { embed_id: embed.id },
  });
  if (session?.outcome !== "acknowledged") return;
  const { form_token } = session.json<{ form_token: string }>();
  const signed = { ...headers, "x-probis-form-token": form_token };
  const body = new FormData();
  body.set("file", picture());
  body.set("field_name", "card");
  const upload = await ask({
    operation: "uploadPublicAttachment",
    to: `POST ${base}/form-attachments/upload`,
    headers: signed,
    body,
  });
  if (upload?.outcome !== "acknowledged") return;
  const variables = { name: { value: "Jane" }, card: { value: new TextDecoder().decode(upload.bytes) } };
  // Twice, as a visitor does who did not get the answer.
  for (let time = 1; time <= 2; time++) {
    const start = await ask({
      operation: "startPublicProcess",
      to: `POST ${base}/process-instances`,
      headers: signed,
      body: { variables },
    });
    if (start?.outcome !== "acknowledged") return;
    const instances = visits.get(form_token) ?? new Set();
    visits.set(form_token, instances.add(start.json<{ process_instance_id: string }>().process_instance_id));
  }
}

/** Repeats the request up to eight times while its outcome is unknown. */
async function persist(trial: Trial, request: Request): Promise<Answer | undefined> {
  for (let tries = 0; tries < 8 && (trial.going() || trial.finishing()); tries++) {
    const answer = await trial.send(request);
    if (answer.outcome !== "unknown") return answer;
    await pause(1_500);
  }
  return undefined;
}
