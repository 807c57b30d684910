/** Rules about files: a committed one is there whole, a link works once, storage and database agree. */
import type postgres from "postgres";
import { isDamaged, type Link } from "../clients/downloads.ts";
import { downloadOwn, type FileRecord } from "../clients/files.ts";
import { until } from "../parts/children.ts";
import type { ObjectStorage } from "../parts/storage.ts";
import type { Trial } from "../trial.ts";
import { type Check, check } from "./check.ts";

export interface FileFacts {
  readonly files: readonly FileRecord[];
  /** Asked for at once, by whom they were issued to. */
  readonly links: readonly Link[];
  /** Those that service tasks sent. */
  readonly sentLinks: readonly Link[];
}

export async function checkFiles(trial: Trial, { files, links, sentLinks }: FileFacts): Promise<Check[]> {
  const all = [...links, ...sentLinks];
  return [
    await check("no acknowledged file is lost or damaged, and none is there that was deleted", () =>
      wrongFiles(trial, files),
    ),
    await check("no download link is answered with its content twice", () =>
      all.filter(({ contents }) => contents > 1).map(({ path }) => path),
    ),
    await check("no download link is refused to everybody who asks", () =>
      links.filter(({ refusedTwice }) => refusedTwice).map(({ path }) => path),
    ),
    await check("every download holds the bytes that were uploaded", () =>
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

/** Two hours pass first: what reconcile takes for young it would not name, and the sweep comes back for late objects. */
export const checkStorage = ({ storage, sql, reconcile }: Compared): Promise<Check> =>
  check("objects and rows agree", async () => {
    await storage.age(7_200);
    await sweepGivenUp(sql);
    const { code, output } = await reconcile();
    const keys = new Set(await storage.keys());
    const rows = await sql<{ key: string }[]>`
      select 'attachments/' || tenant_id || '/' || id as key from waybill.attachments where state in ('draft', 'committed')`;
    const lost = rows.filter(({ key }) => !keys.has(key)).map(({ key }) => `${key} has a row and no object`);
    const findings = output
      .trim()
      .split("\n")
      .filter((line) => !line.startsWith("Objects and rows agree"));
    return [...lost, ...(code === 0 ? [] : findings)];
  });

/** Lets the sweep look once more for objects of uploads that were given up. */
async function sweepGivenUp(sql: postgres.Sql): Promise<void> {
  const [table] = await sql`select to_regclass('waybill.given_up_objects') is not null as exists`;
  if (!table?.exists) return;
  await sql`update waybill.given_up_objects set next_at = now()`;
  const due = async () =>
    (await sql`select from waybill.given_up_objects where next_at <= now()`).length === 0;
  await until("the sweep has looked for late objects", due, 30);
  // They are claimed by then; their removal takes a moment more.
  await Bun.sleep(3_000);
}
