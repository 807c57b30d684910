/** The header `Prefer` (RFC 7240), as far as Waybill follows it. */

export type ReturnPreference = "representation" | "minimal";

/**
 * What a writer prefers to get back. Everything else in the header is ignored, and so is a second `return`, as the RFC
 * says.
 */
export function returnPreference(header = ""): ReturnPreference | undefined {
  for (const preference of preferencesIn(header)) {
    const [name = "", value = ""] = (preference.split(";", 1)[0] ?? "").split("=", 2);
    if (name.trim().toLowerCase() !== "return") continue;
    const wanted = value.trim().replace(/^"(.*)"$/, "$1");
    return wanted === "representation" || wanted === "minimal" ? wanted : undefined;
  }
  return undefined;
}

/** The texts between commas. A comma in quotes is part of a text. */
function* preferencesIn(header: string): Generator<string> {
  let [start, quoted] = [0, false];
  for (let at = 0; at < header.length; at++) {
    const character = header[at];
    if (character === '"') quoted = !quoted;
    else if (character === "\\" && quoted) at++;
    else if (character === "," && !quoted) {
      yield header.slice(start, at);
      start = at + 1;
    }
  }
  yield header.slice(start);
}
