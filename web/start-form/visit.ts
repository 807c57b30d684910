/** A visitor's session: begun, or gone on with after a reload. */
import { type Client, createClient, ProblemError, type StartForm } from "../../sdk/src/index.ts";
import type { Kept } from "./kept.ts";

export interface Visit {
  readonly client: Client;
  readonly token: string;
  readonly startForm: StartForm;
  /** Whether an earlier session was over, and its files with it. */
  readonly afterExpiry: boolean;
}

/** Throws `ProblemError`, or what `fetch` throws. */
export async function openVisit(embedId: string, kept: Kept): Promise<Visit> {
  const earlier = kept.token();
  if (earlier !== undefined) {
    const visit = await goOn(earlier).catch(unlessExpired);
    if (visit) return { ...visit, afterExpiry: false };
  }
  const { form_token: token } = await clientWith().formSessions.createFormSession({
    newFormSession: { embed_id: embedId },
  });
  kept.keepToken(token);
  return { ...(await goOn(token)), afterExpiry: earlier !== undefined };
}

async function goOn(token: string): Promise<Omit<Visit, "afterExpiry">> {
  const client = clientWith(token);
  return { client, token, startForm: await client.formSessions.getStartForm() };
}

export const isExpired = (error: unknown) => error instanceof ProblemError && error.status === 401;

/** Whether the session was ended because its form is there no longer. */
export const isTakenAway = () =>
  fetch(location.href, { cache: "no-store" }).then(
    ({ status }) => status === 404,
    () => false,
  );

/** Whether the process has got another form since this one was opened. */
export async function isFormChanged({ client, startForm }: Visit): Promise<boolean> {
  const now = await client.formSessions.getStartForm().catch(() => startForm);
  return JSON.stringify(now.form) !== JSON.stringify(startForm.form);
}

function unlessExpired(error: unknown): undefined {
  if (!isExpired(error)) throw error;
}

/** Waybill's own root, from the page's address `…/embed/{embed_id}`: a gateway may have put it under a path. */
export const baseUrl = new URL("..", location.href).href;

/** A server that says nothing for a minute is away. */
const patienceMs = 60_000;

const clientWith = (formToken?: string) =>
  createClient({
    baseUrl,
    fetch: (input, init) => fetch(input, { ...init, signal: AbortSignal.timeout(patienceMs) }),
    ...(formToken === undefined ? {} : { formToken }),
  });
