/**
 * Texts that take the places of secrets and download tokens while a request is written, so that a dry run needs
 * neither. A stand-in has only letters and digits, so that every place writes it as it is, and it can be found again.
 */
import { secretPrefix } from "../variables/variable.ts";
import { hostNamesIn } from "./requestUrl.ts";
import type { ServiceTaskConfig } from "./serviceTask.ts";
import { parseTemplate } from "./template.ts";

export interface StandIns {
  /** By the secrets' names. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly token: string;
  /** The text with the placeholder of each secret, and `[token]`, in the places of their stand-ins. */
  shown(text: string): string;
}

/** `names` are those of the secrets. Throws `invalid_template`. */
export function createStandIns(config: ServiceTaskConfig, names: readonly string[]): StandIns {
  const run = crypto.randomUUID().replaceAll("-", "");
  const base = baseOf(config);
  const secrets = names.map((name, index) => {
    const standIn = `secret${run}n${index}e`;
    return [name, name === base ? `https://${standIn}` : standIn] as const;
  });
  // A secret that begins the URL is a URL itself. Other places may encode its first characters.
  const scheme = `https(?::|%3A)(?:/|%2F){2}(?=secret${run}n${names.indexOf(base ?? "")}e)`;
  const secret = new RegExp(`(?:${scheme})?secret${run}n(\\d+)e`, "g");
  const token = `token${run}`;
  return {
    secrets: Object.fromEntries(secrets),
    token,
    shown: (text) =>
      text
        .replace(secret, (_, index) => `\${${secretPrefix}${names[Number(index)]}}`)
        .replaceAll(token, "[token]"),
  };
}

/** The name of the secret that the URL begins with. */
function baseOf(config: ServiceTaskConfig): string | undefined {
  if (config.kind === "addon" || !config.url.startsWith(`\${${secretPrefix}`)) return undefined;
  const [first] = hostNamesIn(parseTemplate(config.url));
  return first?.slice(secretPrefix.length);
}
