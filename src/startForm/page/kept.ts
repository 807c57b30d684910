/**
 * What one tab keeps over a reload: the form token, and what was typed. Files are kept by the server. A browser that
 * forbids storage, as some do in frames, keeps it in memory.
 */
import { attachedFiles } from "../../../sdk/src/formjs/index.ts";

type Data = Readonly<Record<string, unknown>>;

interface Content {
  readonly token?: string;
  readonly typed?: Data;
}

export interface Kept {
  token(): string | undefined;
  typed(): Data;
  keepToken(token: string): void;
  keepTyped(data: Data): void;
  forgetToken(): void;
  forgetAll(): void;
}

export function createKept(embedId: string): Kept {
  const key = `waybill-form:${embedId}`;
  let content = read(key);
  const keep = (next: Content) => {
    content = next;
    write(key, next);
  };
  return {
    token: () => content.token,
    typed: () => content.typed ?? {},
    keepToken: (token) => keep({ ...content, token }),
    keepTyped: (data) => keep({ ...content, typed: withoutFiles(data) as Data }),
    forgetToken: () => keep({ typed: content.typed ?? {} }),
    forgetAll: () => keep({}),
  };
}

function read(key: string): Content {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "{}");
  } catch {
    return {};
  }
}

function write(key: string, content: Content): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(content));
  } catch {
    // In memory, then.
  }
}

/** What the server keeps as drafts is its to tell. */
function withoutFiles(value: unknown): unknown {
  if (attachedFiles(value).length > 0) return undefined;
  if (Array.isArray(value)) return value.map(withoutFiles);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutFiles(member)]));
}
