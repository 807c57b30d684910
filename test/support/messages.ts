/** Steps of tests of stored files: join discussions, post and read messages, and see what uploads leave behind. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Message, Messages } from "../../sdk/src/generated/index.ts";
import { freshInstance, member, slugOf } from "./attachments.ts";
import type { TestServer, TokenClaims } from "./server.ts";

export interface Discussion {
  readonly id: string;
  /** Joins; a member of tenant 1 whom nobody else is, by default. */
  join(claims?: TokenClaims): Promise<TokenClaims>;
  leave(claims: TokenClaims): Promise<void>;
  post(by: TokenClaims, message: { text?: string; files?: Blob[] }): Promise<Message>;
  list(by: TokenClaims, page?: { page?: number; limit?: number }): Promise<Messages>;
  download(by: TokenClaims, messageId: string, attachmentId: string): Promise<Response>;
}

/** The discussion of a process instance, which nobody has joined yet. */
export function discussionOn(server: TestServer, id = freshInstance()): Discussion {
  const target = (by: TokenClaims) => ({ processInstanceId: id, xActiveTenant: slugOf(by) });
  return {
    id,
    join: async (claims = member()) => {
      const admin = { tenant: claims.tenant ?? 1 };
      const api = await server.discussions(admin);
      await api.addParticipant({ ...target(admin), newParticipant: { user: claims.user ?? "" } });
      return claims;
    },
    leave: async (claims) => {
      const admin = { tenant: claims.tenant ?? 1 };
      const api = await server.discussions(admin);
      await api.removeParticipant({ ...target(admin), user: claims.user ?? "" });
    },
    post: async (by, { text, files }) => {
      const api = await server.discussions(by);
      const given = { ...(text === undefined ? {} : { text }), ...(files ? { file: files } : {}) };
      return api.postMessage({ ...target(by), ...given });
    },
    list: async (by, page = {}) => (await server.discussions(by)).listMessages({ ...target(by), ...page }),
    download: async (by, messageId, attachmentId) => {
      const api = await server.discussions(by);
      return (await api.downloadMessageAttachmentRaw({ ...target(by), messageId, attachmentId })).raw;
    },
  };
}

export const messagesPath = (instance: string) => `/api/v1/probis/discussions/${instance}/messages`;

/** What uploads have left: a stored file is a row and an object, and the files in which it came are gone. */
export async function storedRemains({ sql, deps }: TestServer) {
  const [row] = await sql<{ rows: number; messages: number }[]>`
    select (select count(*) from waybill.stored_files)::int as rows,
           (select count(*) from waybill.discussion_messages)::int as messages`;
  const objects = await Array.fromAsync(deps.storage.list("files/"));
  const temporary = await readdir(join(deps.config.dataDir, "uploads")).catch(() => []);
  return { ...row, objects: objects.length, temporary: temporary.length };
}

/** Uploads a file for no form; answers its path. */
export async function uploadGeneral(server: TestServer, by: TokenClaims, file: Blob): Promise<string> {
  const api = await server.integration(by);
  return (await api.uploadFile({ xActiveTenant: slugOf(by), file })).path;
}

export const idOfPath = (path: string) => path.slice(path.lastIndexOf("/") + 1);
