/**
 * Binds the files that an engine's variables name to the root of their instance. Whoever wrote the variable: the engine
 * has accepted it, so the file belongs to the process (docs/decisions/requirements.md, Attachment states). What Waybill
 * writes itself was checked and bound before.
 */
import { commitAll, unboundAmong } from "../../../../files/attachments/queries.ts";
import { attachmentIdOf } from "../../../variables/attachmentMetadata.ts";
import type { OperatonContext } from "../operatonContext.ts";

/** A variable of the engine, as its REST interface shows it without deserializing. */
export interface NamedValue {
  /** The root of the variable's instance. */
  readonly rootInstanceId: string;
  /** Text of a String, a Json or an Object in JSON; any other value names no file. */
  readonly value: unknown;
}

/**
 * Binds each file to the first instance that names it, if it is a draft or finalized without an instance. Returns how
 * many files it has bound. A file that is missing, of another tenant or bound already stays as it is.
 */
export async function bindNamedFiles(
  { sql }: Pick<OperatonContext, "sql">,
  tenantId: number,
  values: readonly NamedValue[],
): Promise<number> {
  const rootOf = new Map<string, string>();
  for (const { rootInstanceId, value } of values) {
    const id = attachmentIdOf(value);
    if (id !== undefined && !rootOf.has(id)) rootOf.set(id, rootInstanceId);
  }
  const unbound = rootOf.size === 0 ? [] : await unboundAmong(sql, tenantId, [...rootOf.keys()]);
  let bound = 0;
  // One at a time: all of a list are committed or none, and the sweep or their owner may remove one meanwhile.
  for (const id of unbound) {
    const to = { tenantId, processInstanceId: rootOf.get(id) as string, taskId: null };
    const { committed } = await commitAll(sql, [id], to);
    if (committed) bound += 1;
  }
  return bound;
}

export interface FetchedTask {
  readonly tenantId: number;
  /** The root of the task's instance. */
  readonly rootInstanceId: string;
}

/**
 * Binds the files that a service task's variables name. Call it when the task was fetched and before URLs are issued:
 * the follower may not have come to these variables yet, and a start may not have been answered yet.
 */
export const bindFilesOf = (
  context: Pick<OperatonContext, "sql">,
  { tenantId, rootInstanceId }: FetchedTask,
  variables: Readonly<Record<string, { readonly value: unknown }>>,
): Promise<number> =>
  bindNamedFiles(
    context,
    tenantId,
    Object.values(variables).map(({ value }) => ({ rootInstanceId, value })),
  );
