/**
 * Binds the files that an engine's variables name to the root of their instance. Whoever wrote the variable: the engine
 * has accepted it, so the file belongs to the process (docs/decisions/requirements.md, Attachment states). What Waybill
 * writes itself was checked and bound before.
 */
import { attachmentIdOf } from "../../../variables/attachmentMetadata.ts";
import type { OperatonContext } from "../operatonContext.ts";
import { bindEach } from "./namedFiles.ts";

/** A variable of the engine, as its REST interface shows it without deserializing. */
export interface NamedValue {
  /** The root of the variable's instance. */
  readonly rootInstanceId: string;
  /** Text of a String, a Json or an Object in JSON; any other value names no file. */
  readonly value: unknown;
}

/**
 * Binds each file to the first instance that names it, if it is a draft or finalized without an instance. Returns the
 * ids of the files that it has bound. A file that is missing, of another tenant or bound already stays as it is.
 */
export async function bindNamedFiles(
  { sql }: Pick<OperatonContext, "sql">,
  tenantId: number,
  values: readonly NamedValue[],
): Promise<string[]> {
  const rootOf = new Map<string, string>();
  for (const { rootInstanceId, value } of values) {
    const id = attachmentIdOf(value);
    if (id !== undefined && !rootOf.has(id)) rootOf.set(id, rootInstanceId);
  }
  return bindEach(sql, tenantId, rootOf);
}
