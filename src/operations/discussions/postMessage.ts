import type { Deps } from "../../deps.ts";
import { discussionFor } from "../../discussions/discussion.ts";
import { attachmentOf, insertMessage } from "../../discussions/messages.ts";
import { type InspectOptions, inspectUpload, type VerifiedFile } from "../../files/inspectUpload.ts";
import { incoming, storeFiles } from "../../files/stored/store.ts";
import type { ReceivedFile } from "../../generated/schemas.ts";
import type { Handler } from "../../handler.ts";
import { Problem } from "../../infrastructure/problem.ts";

/** The message and all its files become visible at the same moment, or none of them does. */
export const postMessage: Handler<"postMessage"> = async ({ params, body, caller }, deps) => {
  const discussion = await discussionFor(deps.sql, caller, params.process_instance_id);
  const { file: received = [] } = body;
  // HTML forms send every line break as CR LF, whatever the user typed.
  const text = (body.text ?? "").replaceAll("\r\n", "\n");
  if (text.trim() === "" && received.length === 0) throw emptyMessage();
  const message = { id: Bun.randomUUIDv7(), discussion, author: caller.subject, text };
  const owner = { tenantId: discussion.tenantId, uploadedBy: caller.subject, messageId: message.id };
  const files = (await inspectAll(received, deps, discussion)).map((file) => incoming(file, owner));
  const created_at = await storeFiles(files, deps, { inTransaction: (tx) => insertMessage(tx, message) });
  const { id: message_id, author } = message;
  const attachments = files.map(({ row }) => attachmentOf(row));
  return { status: 201, body: { message_id, author, text, created_at, attachments } };
};

/** One after the other, so that a message with many files does not cause more work at a time. */
async function inspectAll(
  received: readonly ReceivedFile[],
  deps: Deps,
  discussion: InspectOptions,
): Promise<VerifiedFile[]> {
  const verified: VerifiedFile[] = [];
  for (const [index, file] of received.entries())
    verified.push(
      await inspectUpload(file, deps, discussion).catch((error: unknown) => refuse(error, index)),
    );
  return verified;
}

/** Adds which of the files it is to the problem. */
function refuse(error: unknown, index: number): never {
  if (!(error instanceof Problem) || error.status >= 500) throw error;
  const { code, message, cause } = error;
  throw new Problem(code, { message, errors: [{ pointer: `/file/${index}`, detail: message }], cause });
}

const emptyMessage = () =>
  new Problem("invalid_body", {
    errors: [{ pointer: "", detail: "A message needs a text, a file, or both." }],
  });
