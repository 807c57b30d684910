/**
 * Limits for all variables of one instance. Each step reads and stores them again, so a limit for each request is not
 * enough.
 */
import { Problem } from "../../../infrastructure/problem.ts";
import { maxVariables } from "../../variables/parse.ts";
import type { ShownVariable } from "../../variables/variable.ts";
import { ProcessFailure } from "./processFailure.ts";
import type { EngineEvent } from "./run.ts";

type Variables = ReadonlyMap<string, ShownVariable>;

/** Characters of all names and values. */
const maxText = 16 * 1024 ** 2;
/** Bytes of the content of all File variables. */
const maxFiles = 32 * 1024 ** 2;

/**
 * Throws if writing takes the variables over a limit: `variables_too_large`, or `process_failed` for an integration's
 * answer, which then becomes an incident. Variables that were over a limit before may stay, but not grow.
 */
export function requireRoom(
  { before, after }: { readonly before: Variables; readonly after: Variables },
  event?: EngineEvent,
): void {
  const [was, is] = [sizeOf(before), sizeOf(after)];
  const grows = (one: keyof Size, limit: number) => is[one] > limit && is[one] > was[one];
  const why = [
    grows("count", maxVariables) ? [`more than ${maxVariables} variables`] : [],
    grows("text", maxText) ? ["names and values of more than 16 MiB"] : [],
    grows("files", maxFiles) ? ["files of more than 32 MiB"] : [],
  ].flat();
  if (why.length === 0) return;
  const message = `The process instance would have ${why.join(" and ")}.`;
  if (event?.kind !== "serviceTaskCompleted" && event?.kind !== "serviceTaskRejected")
    throw new Problem("variables_too_large", { message });
  throw new Problem("process_failed", { message, cause: new ProcessFailure(message) });
}

interface Size {
  readonly count: number;
  readonly text: number;
  readonly files: number;
}

function sizeOf(variables: Variables): Size {
  let [text, files] = [0, 0];
  for (const [name, { value, file }] of variables) {
    text += name.length + value.length;
    files += file?.size ?? 0;
  }
  return { count: variables.size, text, files };
}
