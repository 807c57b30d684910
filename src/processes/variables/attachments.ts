/** Variables that hold the metadata of attachments. */
import { findMetadata } from "../../files/attachments/queries.ts";
import type { FileMetadata } from "../../files/fileKind.ts";
import type { Queryable } from "../../infrastructure/database/connect.ts";
import { membersOf } from "../../infrastructure/json.ts";
import { attachmentIdOf } from "./attachmentMetadata.ts";
import type { StoredVariable } from "./variable.ts";

type Variables = ReadonlyMap<string, StoredVariable>;

/** The id of the attachment that the variable names. Undefined if it holds something else. */
export const attachmentIdIn = ({ type, value }: Pick<StoredVariable, "type" | "value">) =>
  type === "String" || type === "Json" ? attachmentIdOf(JSON.parse(value)) : undefined;

/** The ids of the attachments that the variables name, without duplicates. */
export function attachmentIdsOf(
  variables: ReadonlyMap<string, Pick<StoredVariable, "type" | "value">>,
): string[] {
  const ids = [...variables.values()].map(attachmentIdIn).filter((id) => id !== undefined);
  return [...new Set(ids)];
}

/**
 * Replaces the name, type and size of each attachment by those that the server found. An attachment that the tenant
 * does not have stays as it is: binding refuses it.
 */
export async function withServerMetadata(
  sql: Queryable,
  tenantId: number,
  variables: Variables,
): Promise<Variables> {
  const ids = attachmentIdsOf(variables);
  if (ids.length === 0) return variables;
  return withMetadata(variables, await findMetadata(sql, tenantId, ids));
}

/** The same with the metadata of the attachments. */
export function withMetadata(variables: Variables, files: readonly FileMetadata[]): Variables {
  const facts = new Map(files.map((file) => [file.id, file]));
  return new Map([...variables].map(([name, variable]) => [name, corrected(variable, facts)]));
}

function corrected(variable: StoredVariable, facts: ReadonlyMap<string, FileMetadata>): StoredVariable {
  const file = facts.get(attachmentIdIn(variable) ?? "");
  return file
    ? { ...variable, value: JSON.stringify(withServerFacts(JSON.parse(variable.value), file)) }
    : variable;
}

/**
 * Writes these facts into the text of the metadata: in place, or at the end if they are missing. Keeps all other text
 * character for character, because parsing and writing it again could change it.
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
  const present = new Set<string>();
  let text = "";
  let copied = 0;
  for (const { key, start, end } of membersOf(metadata)) {
    if (!facts.has(key)) continue;
    // A repeated member is corrected each time, because readers differ in which one they use.
    text += metadata.slice(copied, start) + JSON.stringify(facts.get(key));
    copied = end;
    present.add(key);
  }
  const missing = [...facts].filter(([key]) => !present.has(key));
  const added = missing.map(([key, fact]) => `,${JSON.stringify(key)}:${JSON.stringify(fact)}`).join("");
  const close = metadata.lastIndexOf("}");
  return text + metadata.slice(copied, close) + added + metadata.slice(close);
}
