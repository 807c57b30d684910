/**
 * Sends the form to the server. A session starts one process: the server gives every later request the same answer and
 * drops its data. The visitor must not get a thank-you for that, so each attempt asks first whether the process has
 * started.
 */
import { ProblemError } from "../../sdk/src/index.ts";
import type { Data } from "./filledForm.ts";
import type { Session } from "./session.ts";

/** `sent_before`: the process has started with other data, from an earlier attempt or another tab. */
export type Outcome = "sent" | "sent_before";

/** Throws `ProblemError`, or what `fetch` throws, if it is not certain that the process has started. */
export type Send = (data: Data) => Promise<Outcome>;

export function createSend({ client: { formSessions } }: Session): Send {
  /** The last data that was sent without an answer. */
  let unanswered: string | undefined;
  const hasStarted = async () => (await formSessions.getStartForm()).process_instance_id !== null;
  return async (data) => {
    const variables = variablesOf(data);
    const sending = JSON.stringify(variables);
    if (await hasStarted()) return unanswered === sending ? "sent" : "sent_before";
    try {
      await formSessions.startPublicProcess({ visitorStart: { variables } });
      return "sent";
    } catch (error) {
      unanswered = isAnswer(error) ? undefined : sending;
      if (unanswered !== undefined && (await hasStarted().catch(() => false))) return "sent";
      throw error;
    }
  };
}

/** A gateway's 502 or 504 does not say what the server did. */
const isAnswer = (error: unknown) => error instanceof ProblemError && error.status < 500;

const variablesOf = (data: Data) =>
  Object.fromEntries(
    Object.entries(data).flatMap(([name, value]) => (value === undefined ? [] : [[name, { value }]])),
  );
