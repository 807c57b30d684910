/** Rules about files: a committed file is there unchanged, a link works once, storage and database agree. */
import type postgres from "postgres";
import { isDamaged, type Link } from "../clients/downloads.ts";
import { downloadOwn, type FileRecord } from "../clients/files.ts";
import { until } from "../parts/children.ts";
import type { ObjectStorage } from "../parts/storage.ts";
import type { Trial } from "../trial.ts";
import { type Check, check } from "./check.ts";

export interface FileFacts {
  readonly files: readonly FileRecord[];
  /** Links that their clients requested immediately. */
  readonly links: readonly Link[];
  /** Links that service tasks sent. */
  readonly sentLinks: readonly Link[];
}

export async function checkFiles(trial: Trial, { files, links, sentLinks }: FileFacts): Promise<Check[]> {
  const all = [...links, ...sentLinks];
  return [
    await check("no acknowledged file is lost or damaged, and no deleted file is left", () =>
      wrongFiles(trial, files),
    ),
    await check("no download link returns its file twice", () =>
      all.filter(({ contents }) => contents > 1).map(({ path }) => path),
    ),
    await check("no download link is refused to both of its requests", () =>
      links.filter(({ refusedTwice }) => refusedTwice).map(({ path }) => path),
    ),
    await check("every download has the bytes that were uploaded", () =>
      all.filter(({ damaged }) => damaged).map(({ path }) => path),
    ),
  ];
}

async function wrongFiles(trial: Trial, files: readonly FileRecord[]): Promise<string[]> {
  const left = [...files];
  const wrong: string[] = [];
  const reader = async () => {
    for (let file = left.pop(); file; file = left.pop()) {
      const answer = await downloadOwn(trial, file);
      const whole =
        answer.outcome === "acknowledged" && !isDamaged(answer) && answer.fileName === file.fileName;
      const absent = answer.status === 404;
      const right = file.fate === "committed" ? whole : file.fate === "deleted" ? absent : whole || absent;
      if (!right) wrong.push(`${file.id} (${file.fate}) was answered ${answer.status} ${answer.code}`);
    }
  };
  await Promise.all(Array.from({ length: 6 }, reader));
  return wrong;
}

interface Compared {
  readonly storage: ObjectStorage;
  readonly sql: postgres.Sql;
  /** Runs `bun run reconcile`. */
  reconcile(): Promise<{ readonly code: number; readonly output: string }>;
}

/**
 * Makes everything two hours older first: reconcile reports no young files, and the sweep must repeat its removals of
 * abandoned objects.
 */
export const checkStorage = ({ storage, sql, reconcile }: Compared): Promise<Check> =>
  check("objects and rows agree", async () => {
    await storage.age(7_200);
    await sweepAbandoned(sql);
    const { code, output } = await reconcile();
    const keys = new Set(await storage.keys());
    const rows = await sql<{ key: string }[]>`
      select 'attachments/' || tenant_id || '/' || id as key
      from waybill.attachments
      where state in ('draft', 'committed')`;
    const lost = rows.filter(({ key }) => !keys.has(key)).map(({ key }) => `${key} has a row and no object`);
    const findings = output
      .trim()
      .split("\n")
      .filter((line) => !line.startsWith("Objects and rows agree"));
    return [...lost, ...(code === 0 ? [] : findings)];
  });

/** Makes the sweep remove abandoned objects once more. */
async function sweepAbandoned(sql: postgres.Sql): Promise<void> {
  const [table] = await sql`select to_regclass('waybill.given_up_objects') is not null as exists`;
  if (!table?.exists) return;
  await sql`update waybill.given_up_objects set next_at = now()`;
  const due = async () =>
    (await sql`select from waybill.given_up_objects where next_at <= now()`).length === 0;
  await until("the sweep has removed late objects", due, 30);
  // Now they are claimed. Their removal takes a moment more.
  await Bun.sleep(3_000);
}
