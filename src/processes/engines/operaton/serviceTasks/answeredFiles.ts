/** What an integration's answer says about files. */
import { withServerMetadata } from "../../../variables/attachments.ts";
import { storedVariables } from "../../../variables/parse.ts";
import type { TypedValues } from "../../../variables/variable.ts";
import type { OperatonContext } from "../operatonContext.ts";

/**
 * The variables with the name, type and size of each file as the server found them. Who reads the variables binds the
 * files: a service task before it sends them, or the job that follows the engine's variables.
 */
export async function withServerFacts(
  { sql }: Pick<OperatonContext, "sql">,
  tenantId: number,
  variables: TypedValues,
): Promise<TypedValues> {
  const given = storedVariables(variables);
  const corrected = await withServerMetadata(sql, tenantId, given);
  const changed = [...corrected].filter(([name, { value }]) => value !== given.get(name)?.value);
  const values = changed.map(
    ([name, { type, value }]) => [name, { type, value: JSON.parse(value) }] as const,
  );
  return { ...variables, ...Object.fromEntries(values) };
}
