/** Two instances of Waybill with one database and one object folder, and functions that check both. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sql } from "../../../src/infrastructure/database/connect.ts";
import { filesystemStorage } from "../../../src/infrastructure/storage/filesystem.ts";
import type { Storage } from "../../../src/infrastructure/storage/storage.ts";
import { objectKey } from "../../support/attachments.ts";
import { createDatabase } from "../../support/database.ts";
import { startServer, type TestServer } from "../../support/server.ts";

export const picture = Bun.file(new URL("../../fixtures/content/pillow.png", import.meta.url));
/** Signs the tokens of all instances. */
export const sharedSecret = "shared by all the instances, 32 chars";
const path = "/api/v1/probis/form-attachments";

export interface Instances {
  readonly servers: readonly [TestServer, TestServer];
  readonly sql: Sql;
  readonly storage: Storage;
  /** A data folder with the objects in `objects/`, for one more instance. */
  readonly dataDir: string;
  /** Starts one more server, with another storage. */
  start(storage: Storage): Promise<TestServer>;
  stop(): Promise<void>;
}

export async function startInstances(environment: Record<string, string> = {}): Promise<Instances> {
  const database = await createDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), "waybill-shared-"));
  const storage = filesystemStorage({ folder: join(dataDir, "objects") });
  const start = (storage: Storage) =>
    startServer({ database, environment, deps: { storage }, secret: sharedSecret });
  const servers = [await start(storage), await start(storage)] as const;
  return {
    servers,
    storage,
    dataDir,
    start,
    sql: servers[0].sql,
    stop: async () => {
      for (const server of servers) await server.stop();
      await rm(dataDir, { recursive: true, force: true });
      await database.drop();
    },
  };
}

export interface Draft {
  readonly id: string;
  readonly user: string;
}

/** The address of a server, and how to sign in there. */
export type Target = Pick<TestServer, "url" | "token">;

export async function send(
  { url, token }: Target,
  [method, below]: readonly [method: string, below: string],
  { user, body }: { user: string; body?: FormData | object },
): Promise<{ status: number; body: Record<string, unknown> }> {
  const headers: Record<string, string> = {
    authorization: `Bearer ${await token({ user })}`,
    "x-active-tenant": "tenant-1",
  };
  const json = body !== undefined && !(body instanceof FormData);
  if (json) headers["content-type"] = "application/json";
  const init = { method, headers, body: json ? JSON.stringify(body) : (body ?? null) } as RequestInit;
  const response = await fetch(`${url}${path}${below}`, init);
  const text = await response.text();
  return { status: response.status, body: text === "" ? {} : JSON.parse(text) };
}

/** Uploads as a new user each time, so that the rate limit does not apply. */
export async function upload(server: Target): Promise<Draft> {
  const user = `user-${crypto.randomUUID()}`;
  const form = new FormData();
  form.set("process_key", "loan");
  form.set("field_name", "id_card");
  form.set("file", picture, "card.png");
  const { status, body } = await send(server, ["POST", "/upload"], { user, body: form });
  if (status !== 201) throw new Error(`the upload answered ${status}: ${JSON.stringify(body)}`);
  return { id: String(body.attachment_id), user };
}

export const finalize = (server: Target, { id, user }: Draft, instance = "instance-1") =>
  send(server, ["POST", "/finalize"], {
    user,
    body: { attachment_ids: [id], process_instance_id: instance, task_id: "task-1" },
  });

export const remove = (server: Target, { id, user }: Draft) => send(server, ["DELETE", `/${id}`], { user });

export async function stateOf(sql: Sql, id: string): Promise<string | undefined> {
  const [row] = await sql<{ state: string }[]>`select state from waybill.attachments where id = ${id}`;
  return row?.state;
}

/** Makes every attachment in one of these states older. */
export const age = (sql: Sql, hours: number, states = ["receiving", "draft", "committed", "deleting"]) => sql`
  update waybill.attachments
  set state_since = state_since - make_interval(hours => ${hours}),
      uploaded_at = uploaded_at - make_interval(hours => ${hours})
  where state = any(${states})`;

export async function objectKeys(storage: Storage): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of storage.list("attachments/")) keys.push(key);
  return keys.sort();
}

export async function rowKeys(sql: Sql): Promise<string[]> {
  const rows = await sql<{ id: string; tenantId: number }[]>`
    select id::text, tenant_id::float8 as "tenantId" from waybill.attachments`;
  return rows.map(({ id, tenantId }) => objectKey(tenantId, id)).sort();
}
