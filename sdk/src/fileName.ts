/** The file's name in a `Content-Disposition` header (RFC 6266, RFC 8187). */

const fallback = "file";

/** The exact name, but separators and control characters become `_`, so that it cannot lead out of a folder. */
export function fileNameOf(disposition: string | null): string {
  const name = extended(disposition ?? "") ?? plain(disposition ?? "") ?? fallback;
  const safe = name.replaceAll(/[/\\\x00-\x1f\x7f]/g, "_");
  return ["", ".", ".."].includes(safe) ? fallback : safe;
}

function extended(disposition: string): string | undefined {
  const encoded = /;\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(disposition)?.[1];
  try {
    return encoded && decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

function plain(disposition: string): string | undefined {
  const [, quoted, token] = /;\s*filename\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^;\s]+))/i.exec(disposition) ?? [];
  return quoted?.replaceAll(/\\(.)/g, "$1") ?? token;
}
