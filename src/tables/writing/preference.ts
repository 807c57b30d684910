/** The header `Prefer` (RFC 7240), as far as Waybill follows it. */

export type ReturnPreference = "representation" | "minimal";

/**
 * What a writer prefers to get back. Everything else in the header is ignored, and so is a second `return`, as the RFC
 * says.
 */
export function returnPreference(header = ""): ReturnPreference | undefined {
  for (const preference of header.match(/(?:"(?:[^"\\]|\\.)*"|[^,"])+/g) ?? []) {
    const [name = "", value = ""] = (preference.split(";", 1)[0] ?? "").split("=", 2);
    if (name.trim().toLowerCase() !== "return") continue;
    const wanted = value.trim().replace(/^"(.*)"$/, "$1");
    return wanted === "representation" || wanted === "minimal" ? wanted : undefined;
  }
  return undefined;
}
