/**
 * What one tab keeps over a reload: the form token, what was typed, and where the files stand. The files themselves are
 * kept by the server. A browser that forbids storage, as some do in frames, keeps it in memory.
 */
import { type Draft, filesIn, keepFiles } from "../../sdk/src/formjs/index.ts";

type Data = Readonly<Record<string, unknown>>;

interface Content {
  readonly token?: string;
  readonly typed?: Data;
  /** The ids of all files that the form has had. */
  readonly files?: readonly string[];
}

export interface Kept {
  token(): string | undefined;
  typed(): Data;
  /** What was typed, without files that are gone from the server. */
  typedWith(drafts: readonly Draft[]): Data;
  /** Whether the form has had this file and names it no longer. */
  isRemoved(draft: Draft): boolean;
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
    typedWith: (drafts) => {
      const there = new Set(drafts.map(({ metadata }) => metadata.attachment_id));
      return keepFiles(content.typed ?? {}, ({ attachmentId }) => there.has(attachmentId));
    },
    isRemoved: ({ metadata: { attachment_id: id } }) =>
      content.files?.includes(id) === true && !idsIn(content.typed).includes(id),
    keepToken: (token) => keep({ ...content, token }),
    keepTyped: (typed) => {
      const files = [...new Set([...(content.files ?? []), ...idsIn(typed)])];
      keep({ ...content, typed, files });
    },
    forgetToken: () => keep({ typed: content.typed ?? {} }),
    forgetAll: () => keep({}),
  };
}

const idsIn = (data: unknown) => filesIn(data).map(({ attachmentId }) => attachmentId);

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
