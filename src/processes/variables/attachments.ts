/** Variables that hold the metadata of attachments: which they are, and what they say. */

import { findMetadata } from "../../files/attachments/queries.ts";
import type { FileMetadata } from "../../files/fileKind.ts";
import type { Queryable } from "../../infrastructure/database/connect.ts";
import { membersOf } from "../../infrastructure/json.ts";
import { attachmentIdOf } from "../delivery/fileVariable.ts";
import type { StoredVariable } from "./variable.ts";

type Variables = ReadonlyMap<string, StoredVariable>;

/** The attachment that the variable names; undefined where it holds something else. */
export const attachmentIdIn = ({ type, value }: Pick<StoredVariable, "type" | "value">) =>
  type === "String" || type === "Json" ? attachmentIdOf(JSON.parse(value)) : undefined;

/** Attachments that the variables name, each once. */
export function attachmentIdsOf(variables: Variables): string[] {
  const ids = [...variables.values()].map(attachmentIdIn).filter((id) => id !== undefined);
  return [...new Set(ids)];
}

/**
 * The variables, with the name, type and size of each attachment as the server found them, whatever their writer says.
 * An attachment that the tenant does not have is left for the binding to refuse.
 */
export async function withServerMetadata(
  sql: Queryable,
  tenantId: number,
  variables: Variables,
): Promise<Variables> {
  const ids = attachmentIdsOf(variables);
  if (ids.length === 0) return variables;
  const facts = new Map((await findMetadata(sql, tenantId, ids)).map((file) => [file.id, file]));
  return new Map([...variables].map(([name, variable]) => [name, corrected(variable, facts)]));
}

function corrected(variable: StoredVariable, facts: ReadonlyMap<string, FileMetadata>): StoredVariable {
  const file = facts.get(attachmentIdIn(variable) ?? "");
  return file
    ? { ...variable, value: JSON.stringify(withServerFacts(JSON.parse(variable.value), file)) }
    : variable;
}

/**
 * The text of the metadata with these facts, each where it stands or else at the end. All else is kept character for
 * character: the text of a String is its writer's, and may hold what no parser gives back.
 */
export function withServerFacts(
  metadata: string,
  { fileName, mimeType, size }: Omit<FileMetadata, "id">,
): string {
  const facts = new Map<string, unknown>([
    ["file_name", fileName],
    ["mime_type", mimeType],
    ["size", size],
  ]);
  const stated = new Set<string>();
  let text = "";
  let copied = 0;
  for (const { key, start, end } of membersOf(metadata)) {
    if (!facts.has(key)) continue;
    // One that stands twice is corrected twice: readers differ in which of the two they believe.
    text += metadata.slice(copied, start) + JSON.stringify(facts.get(key));
    copied = end;
    stated.add(key);
  }
  const missing = [...facts].filter(([key]) => !stated.has(key));
  const added = missing.map(([key, fact]) => `,${JSON.stringify(key)}:${JSON.stringify(fact)}`).join("");
  const close = metadata.lastIndexOf("}");
  return text + metadata.slice(copied, close) + added + metadata.slice(close);
}
