/** A visitor's session: begun on the first visit, resumed after a reload. */
import { type Client, createClient, ProblemError, type StartForm } from "../../sdk/src/index.ts";
import type { DraftStorage } from "./draftStorage.ts";

export interface Session {
  readonly client: Client;
  readonly token: string;
  readonly startForm: StartForm;
  /** Whether an earlier session has expired. Its files are gone. */
  readonly afterExpiry: boolean;
}

/** Throws `ProblemError`, or what `fetch` throws. */
export async function openSession(embedId: string, storage: DraftStorage): Promise<Session> {
  const earlier = storage.token();
  if (earlier !== undefined) {
    const session = await resume(earlier).catch(unlessExpired);
    if (session) return { ...session, afterExpiry: false };
  }
  const { form_token: token } = await clientWith().formSessions.createFormSession({
    newFormSession: { embed_id: embedId },
  });
  storage.saveToken(token);
  return { ...(await resume(token)), afterExpiry: earlier !== undefined };
}

async function resume(token: string): Promise<Omit<Session, "afterExpiry">> {
  const client = clientWith(token);
  return { client, token, startForm: await client.formSessions.getStartForm() };
}

export const isExpired = (error: unknown) => error instanceof ProblemError && error.status === 401;

/** Whether the session has ended because an administrator deleted the embed. */
export const isEmbedDeleted = () =>
  fetch(location.href, { cache: "no-store" }).then(
    ({ status }) => status === 404,
    () => false,
  );

/** Whether the process has a new form since this one was opened. */
export async function isFormChanged({ client, startForm }: Session): Promise<boolean> {
  const now = await client.formSessions.getStartForm().catch(() => startForm);
  return JSON.stringify(now.form) !== JSON.stringify(startForm.form);
}

function unlessExpired(error: unknown): undefined {
  if (!isExpired(error)) throw error;
}

/** Waybill's root, from the page's address `…/embed/{embed_id}`. A gateway may have put it under a path. */
export const baseUrl = new URL("..", location.href).href;

/** After a minute without an answer, the server counts as unreachable. */
const timeoutMs = 60_000;

const clientWith = (formToken?: string) =>
  createClient({
    baseUrl,
    fetch: (input, init) => fetch(input, { ...init, signal: AbortSignal.timeout(timeoutMs) }),
    ...(formToken === undefined ? {} : { formToken }),
  });
