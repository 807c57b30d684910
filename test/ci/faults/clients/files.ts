/**
 * Signed-in users who upload files. Some files are left or deleted, the others committed and downloaded by signed URLs.
 */
import { pause, slugOf, type Trial, times } from "../trial.ts";
import { downloadTwice, type Link } from "./downloads.ts";
import { picture } from "./pictures.ts";

export interface FileRecord {
  readonly tenant: number;
  readonly id: string;
  readonly uploader: string;
  readonly fileName: string;
  fate: "draft" | "committed" | "deleted" | "unknown";
}

export interface Files {
  readonly files: readonly FileRecord[];
  /** Links that were requested immediately. */
  readonly links: readonly Link[];
  readonly loops: readonly Promise<void>[];
}

const base = "/api/v1/probis/form-attachments";
/** The age after which the processes of the trial sweep a draft. */
export const draftMaxAgeHours = 0.05;
const staysDraftMs = draftMaxAgeHours * 3_600_000 - 20_000;

export function keepFiles(trial: Trial): Files {
  const files: FileRecord[] = [];
  const links: Link[] = [];
  const keeper = async (tenant: number, name: string) => {
    for (let number = 1; trial.going(); number++) {
      const file = await upload(trial, { tenant, uploader: `${name}-${number}` });
      if (file) {
        files.push(file);
        links.push(...(await treat(trial, file)));
      }
      await pause(150);
    }
  };
  const loops = trial.tenants.flatMap((tenant) =>
    times(2, (index) => keeper(tenant, `uploader-${tenant}-${index}`)),
  );
  return { files, links, loops };
}

type Owned = Pick<FileRecord, "tenant" | "uploader">;

/** Each upload has another user, because a user may upload only twenty files a minute. */
export async function upload(trial: Trial, { tenant, uploader }: Owned): Promise<FileRecord | undefined> {
  const file = picture();
  const body = new FormData();
  body.set("file", file);
  body.set("process_key", "filing");
  body.set("field_name", "card");
  const answer = await trial.send({
    operation: "uploadAttachment",
    ...(await signedIn(trial, { tenant, uploader })),
    to: `POST ${base}/upload`,
    body,
  });
  if (answer.outcome !== "acknowledged") return undefined;
  const { attachment_id: id } = answer.json<{ attachment_id: string }>();
  return { tenant, id, uploader, fileName: file.name, fate: "draft" };
}

async function treat(trial: Trial, file: FileRecord): Promise<Link[]> {
  const chance = Math.random();
  if (chance < 0.15) return [];
  if (chance < 0.25) await remove(trial, file);
  else if (await commit(trial, file)) return send(trial, file);
  return [];
}

async function remove(trial: Trial, file: FileRecord): Promise<void> {
  const to = `DELETE ${base}/${file.id}`;
  const answer = await trial.send({ operation: "deleteAttachment", ...(await signedIn(trial, file)), to });
  file.fate = answer.outcome === "acknowledged" ? "deleted" : "unknown";
}

/** Repeats the request until it is answered, because that is allowed. A draft that is too old by then is refused. */
async function commit(trial: Trial, file: FileRecord): Promise<boolean> {
  const since = trial.now();
  for (let tries = 0; tries < 8; tries++) {
    const answer = await trial.send({
      operation: "finalizeAttachments",
      ...(await signedIn(trial, file)),
      to: `POST ${base}/finalize`,
      body: { attachment_ids: [file.id], process_instance_id: instanceOf(file) },
      deserves: trial.now() - since > staysDraftMs ? ["not_committed"] : [],
    });
    file.fate = answer.outcome === "acknowledged" ? "committed" : "unknown";
    if (answer.outcome !== "unknown") return answer.outcome === "acknowledged";
    await pause(1_000);
  }
  return false;
}

const instanceOf = ({ id }: FileRecord) => `paper-${id}`;

async function send(trial: Trial, file: FileRecord): Promise<Link[]> {
  const { tenant } = file;
  const answer = await trial.send({
    operation: "issueDownloadUrls",
    tenant,
    token: await trial.token({ tenant, user: "engine", role: "engine" }),
    to: "POST /api/v1/internal/form-attachments/download-urls",
    body: { tenant_id: tenant, process_instance_id: instanceOf(file), attachment_ids: [file.id, file.id] },
  });
  if (answer.outcome !== "acknowledged") return [];
  const { urls } = answer.json<{ urls: { url: string }[] }>();
  return Promise.all(urls.map(({ url }) => downloadTwice(trial, url, tenant)));
}

/** The credentials of the file's uploader. */
export async function signedIn(trial: Pick<Trial, "token">, { tenant, uploader: user }: Owned) {
  const token = await trial.token({ tenant, user, role: "member" });
  return { tenant, token, headers: { "x-active-tenant": slugOf(tenant) } };
}

/** Downloads the file as its uploader. */
export const downloadOwn = async (trial: Pick<Trial, "send" | "token">, file: FileRecord) =>
  trial.send({
    operation: "downloadAttachment",
    ...(await signedIn(trial, file)),
    to: `GET ${base}/${file.id}/download`,
  });
