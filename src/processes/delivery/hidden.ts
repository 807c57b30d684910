/** Secrets in the forms in which a receiver may repeat them. */
export interface Hidden {
  readonly text: string;
  readonly mark: string;
}

const secretMark = "[secret]";

/** The value as it is and as each kind of text writes it. Longer forms come first: one may be part of another. */
export function formsOf(value: string): Hidden[] {
  const percent = encodeURIComponent(value.toWellFormed());
  const form = new URLSearchParams([["", value]]).toString().slice(1);
  const json = JSON.stringify(value).slice(1, -1);
  const bytes = Buffer.from(value);
  const forms = [
    value,
    value.trim(),
    value.toLowerCase(),
    json,
    json.replaceAll("/", "\\/"),
    json.replaceAll(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`),
    percent,
    lowerEscapes(percent),
    form,
    lowerEscapes(form),
    percent.replaceAll("%20", "+"),
    percent.replaceAll(/[!'()*~]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`),
    value.replaceAll(/[&<>\]"'\t\n\r]/g, (char) => `&#${char.charCodeAt(0)};`),
    value.replaceAll(/[&<>"']/g, (char) => entities[char] ?? char),
    bytes.toString("base64"),
    bytes.toString("base64url"),
    bytes.toString("hex"),
  ];
  return [...new Set(forms)]
    .filter((text) => text !== "")
    .sort((a, b) => b.length - a.length)
    .map((text) => ({ text, mark: secretMark }));
}

const lowerEscapes = (text: string) => text.replaceAll(/%../g, (triplet) => triplet.toLowerCase());

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** The text with the mark in place of each hidden text. */
export function withoutHidden(text: string, hidden: readonly Hidden[]): string {
  return hidden.reduce((rest, { text: found, mark }) => rest.replaceAll(found, () => mark), text);
}
