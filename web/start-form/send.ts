/**
 * The form's way to the server. A session starts one process: whatever is sent after that is answered alike, and
 * dropped. Nobody may be thanked for that, so each sending asks first whether the form has been taken.
 */
import { ProblemError } from "../../sdk/src/index.ts";
import type { Data } from "./filledForm.ts";
import type { Visit } from "./visit.ts";

/** `sent_before`: other data has been taken, from an earlier attempt or from another tab. */
export type Outcome = "sent" | "sent_before";

/** Throws `ProblemError`, or what `fetch` throws, where the form is not known to be taken. */
export type Send = (data: Data) => Promise<Outcome>;

export function createSend({ client: { formSessions } }: Visit): Send {
  /** What was sent last and had no answer. */
  let unanswered: string | undefined;
  const isTaken = async () => (await formSessions.getStartForm()).process_instance_id !== null;
  return async (data) => {
    const variables = variablesOf(data);
    const sending = JSON.stringify(variables);
    if (await isTaken()) return unanswered === sending ? "sent" : "sent_before";
    try {
      await formSessions.startPublicProcess({ visitorStart: { variables } });
      return "sent";
    } catch (error) {
      unanswered = isAnswer(error) ? undefined : sending;
      if (unanswered !== undefined && (await isTaken().catch(() => false))) return "sent";
      throw error;
    }
  };
}

/** A gateway's 502 or 504 does not tell what the server did. */
const isAnswer = (error: unknown) => error instanceof ProblemError && error.status < 500;

const variablesOf = (data: Data) =>
  Object.fromEntries(
    Object.entries(data).flatMap(([name, value]) => (value === undefined ? [] : [[name, { value }]])),
  );
