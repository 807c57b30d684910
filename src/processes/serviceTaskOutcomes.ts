/**
 * Outcomes of service tasks that the database could not take yet, on disk: a file for each attempt, under DATA_DIR. Whoever
 * has the folder stores them later, at the start of a process and from time to time; one that is stored twice changes
 * nothing.
 *
 * An answer may hold personal data: the files are encrypted where there is a key, and readable by this user only.
 */
import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "pino";
import type { Sealing } from "../infrastructure/sealing.ts";
import type { Outcome } from "./delivery/deliver.ts";
import type { Attempt, NewIncident } from "./serviceTasks.ts";

/** What came of an attempt: an answer, a refusal, or why there is neither. */
export type AttemptOutcome = Outcome | { readonly kind: "failed"; readonly incident: NewIncident };

export interface KeptOutcome extends Attempt {
  readonly outcome: AttemptOutcome;
}

export interface Outcomes {
  /** Whole or not at all, also where the machine fails. False where it does not fit or the disk fails, which is logged. */
  keep(kept: KeptOutcome): Promise<boolean>;
  remove(attempt: Attempt): Promise<void>;
  /** Hands each one that is older than `olderMs` to `store`, and removes those that it takes. */
  storeLeftOver(store: (kept: KeptOutcome) => Promise<void>, olderMs?: number): Promise<void>;
}

export interface OutcomesOptions {
  readonly folder: string;
  readonly sealing: Sealing | undefined;
  readonly log: Logger;
  /** 1,000. */
  readonly mostFiles?: number;
  /** 256 MiB. */
  readonly mostBytes?: number;
}

export function createOutcomes(options: OutcomesOptions): Outcomes {
  const { folder, sealing, log, mostFiles = 1_000, mostBytes = 256 * 1024 ** 2 } = options;
  const fileOf = ({ serviceTaskId, attempt }: Attempt) => join(folder, `${serviceTaskId}.${attempt}`);

  async function keep(kept: KeptOutcome): Promise<boolean> {
    const { serviceTaskId: service_task_id, attempt } = kept;
    try {
      const text = JSON.stringify(kept);
      const bytes = sealing ? sealing.seal(text, contextOf(kept)) : Buffer.from(text);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const { files, size } = await usage(folder);
      if (files >= mostFiles || size + bytes.byteLength > mostBytes) throw new Error(`${folder} is full`);
      await writeWhole(fileOf(kept), bytes, folder);
      return true;
    } catch (err) {
      log.error({ err, service_task_id, attempt }, "the outcome of a service task is in memory only");
      return false;
    }
  }

  const remove = (attempt: Attempt) => rm(fileOf(attempt), { force: true });

  async function read(name: string): Promise<KeptOutcome | undefined> {
    const [, serviceTaskId = "", attempt] = fileName.exec(name) ?? [];
    if (!attempt) return undefined;
    const bytes = await readFile(join(folder, name));
    const plain = bytes[0] === openBrace;
    if (!plain && !sealing) throw new Error("there is no key to read it with");
    const context = contextOf({ serviceTaskId, attempt: Number(attempt) });
    return JSON.parse(plain ? bytes.toString() : (sealing as Sealing).open(bytes, context)) as KeptOutcome;
  }

  async function storeLeftOver(store: (kept: KeptOutcome) => Promise<void>, olderMs = 0): Promise<void> {
    for (const name of await namesIn(folder)) {
      try {
        const { mtimeMs } = await stat(join(folder, name));
        const age = Date.now() - mtimeMs;
        if (name.endsWith(".part") && age > abandonedMs) await rm(join(folder, name), { force: true });
        if (age < olderMs) continue;
        const kept = await read(name);
        if (!kept) continue;
        await store(kept);
        await remove(kept);
      } catch (err) {
        if ((err as NodeJS.ErrnoException).code === "ENOENT") continue;
        log.warn({ err, file: name }, "a kept outcome of a service task cannot be stored yet");
      }
    }
  }

  return { keep, remove, storeLeftOver };
}

const fileName = /^([0-9a-f-]{36})\.(\d{1,9})$/;
/** A file that is still being written after so long was left by a process that was killed. */
const abandonedMs = 3_600_000;
const openBrace = 0x7b;

/** A file that was copied to another name does not open. */
const contextOf = ({ serviceTaskId, attempt }: Attempt) => `outcome\n${serviceTaskId}\n${attempt}`;

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

async function usage(folder: string): Promise<{ readonly files: number; readonly size: number }> {
  const names = await namesIn(folder);
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return { files: names.length, size: sizes.reduce((sum, size) => sum + size, 0) };
}

/** Written beside and renamed into place, each step on the disk before the next. */
async function writeWhole(file: string, bytes: Uint8Array, folder: string): Promise<void> {
  const draft = `${file}.${process.pid}.part`;
  const handle = await open(draft, "w", 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
  const directory = await open(folder);
  await directory.sync().finally(() => directory.close());
}
