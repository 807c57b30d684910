/**
 * What one tab keeps over a reload: the form token, the typed data, and which files it names. The server keeps the
 * files. Some browsers forbid storage, for example in frames. The page then works, but keeps nothing over a reload.
 */
import { type Draft, filesIn, keepFiles } from "../../sdk/src/formjs/index.ts";

type Data = Readonly<Record<string, unknown>>;

interface Content {
  readonly token?: string;
  readonly typed?: Data;
  /** The ids of all files that were ever in the form. */
  readonly files?: readonly string[];
}

export interface DraftStorage {
  token(): string | undefined;
  typed(): Data;
  /** The typed data, without files that the server no longer has. */
  typedWith(drafts: readonly Draft[]): Data;
  /** Whether the file was in the form and the visitor removed it. */
  isRemoved(draft: Draft): boolean;
  saveToken(token: string): void;
  saveTyped(data: Data): void;
  forgetToken(): void;
  forgetAll(): void;
}

export function createDraftStorage(embedId: string): DraftStorage {
  const key = `waybill-form:${embedId}`;
  let content = read(key);
  const save = (next: Content) => {
    content = next;
    write(key, next);
  };
  return {
    token: () => content.token,
    typed: () => content.typed ?? {},
    typedWith: (drafts) => {
      const existing = new Set(drafts.map(({ metadata }) => metadata.attachment_id));
      return keepFiles(content.typed ?? {}, ({ attachmentId }) => existing.has(attachmentId));
    },
    isRemoved: ({ metadata: { attachment_id: id } }) =>
      content.files?.includes(id) === true && !idsIn(content.typed).includes(id),
    saveToken: (token) => save({ ...content, token }),
    saveTyped: (typed) => {
      const files = [...new Set([...(content.files ?? []), ...idsIn(typed)])];
      save({ ...content, typed, files });
    },
    forgetToken: () => save({ typed: content.typed ?? {} }),
    forgetAll: () => save({}),
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
    // It stays in memory.
  }
}
