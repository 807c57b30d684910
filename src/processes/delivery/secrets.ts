/** The secrets that a service task names. They are read when it runs, and not kept. */
import type { Infrastructure } from "../../infrastructure/infrastructure.ts";
import { DeliveryFailure } from "../../infrastructure/outbound/failure.ts";
import { readSecrets } from "../../tenants/secrets/secrets.ts";
import { secretPrefix } from "../variables/variable.ts";
import { hostNamesIn } from "./requestUrl.ts";
import { namesUsed, type ServiceTaskConfig } from "./serviceTask.ts";
import { namesIn, parseTemplate } from "./template.ts";

/** The names without their prefix, each once. */
export function secretNamesIn(config: ServiceTaskConfig): string[] {
  const names = config.kind === "addon" ? namesIn(config.parameters) : namesUsed(config);
  const secrets = names.filter((name) => name.startsWith(secretPrefix));
  return [...new Set(secrets.map((name) => name.slice(secretPrefix.length)))];
}

/** The values by name. Throws `secret_not_found`, with the names of missing secrets, and `secret_not_readable`. */
export async function secretsFor(
  names: readonly string[],
  tenantId: number,
  { sql, sealing }: Infrastructure,
): Promise<Readonly<Record<string, string>>> {
  if (names.length === 0) return {};
  if (!sealing) throw noSecretsKey(names);
  const { values, unreadable } = await readSecrets(sql, { tenantId, names, sealing });
  const missing = names.filter((name) => !Object.hasOwn(values, name) && !unreadable.includes(name));
  if (missing.length > 0) throw secretsNotFound(missing);
  if (unreadable.length === 0) return values;
  throw new DeliveryFailure(
    "secret_not_readable",
    `SECRETS_KEY does not have the key under which ${shown(unreadable)} was stored. ` +
      "An administrator can set the secret again.",
  );
}

const shown = (names: readonly string[]) => names.map((name) => `\${${secretPrefix}${name}}`).join(", ");

export const noSecretsKey = (names: readonly string[]) =>
  new DeliveryFailure(
    "secret_not_readable",
    `The server has no SECRETS_KEY, so ${shown(names)} cannot be read. An operator has to set it.`,
  );

export const secretsNotFound = (missing: readonly string[]) =>
  new DeliveryFailure(
    "secret_not_found",
    `There is no secret for ${shown(missing)}. An administrator can set it and run the task again.`,
  );

/** Host and origin of the URL if a secret decides them. Messages about a call contain no other part of its URL. */
export function hiddenHostOf(config: ServiceTaskConfig, url: string): string[] {
  if (config.kind === "addon") return [];
  const decides = hostNamesIn(parseTemplate(config.url)).some((name) => name.startsWith(secretPrefix));
  const parsed = decides ? URL.parse(url) : null;
  return parsed ? [parsed.origin, parsed.host, parsed.hostname] : [];
}
