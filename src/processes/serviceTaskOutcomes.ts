/**
 * Outcomes of service tasks that could not be stored in the database yet: one file for each attempt, under DATA_DIR.
 * Any process with this folder stores them later, at its start and at intervals. Storing one twice changes nothing.
 *
 * An answer may contain personal data. The files are readable by this user only, and encrypted if there is a key.
 */
import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "pino";
import type { Sealing } from "../infrastructure/sealing.ts";
import type { Outcome } from "./delivery/deliver.ts";
import type { Attempt, NewIncident } from "./serviceTasks.ts";

/** The outcome of an attempt: an answer, a rejection, or the reason for a failure. */
export type AttemptOutcome = Outcome | { readonly kind: "failed"; readonly incident: NewIncident };

export interface KeptOutcome extends Attempt {
  readonly outcome: AttemptOutcome;
}

export interface Outcomes {
  /**
   * Writes the outcome completely or not at all, even if the machine fails. Returns false, and logs the reason, if it
   * does not fit or the disk fails.
   */
  keep(kept: KeptOutcome): Promise<boolean>;
  remove(attempt: Attempt): Promise<void>;
  /** Passes each outcome older than `olderMs` to `store`, and removes it unless `store` throws. */
  storeLeftOver(store: (kept: KeptOutcome) => Promise<void>, olderMs?: number): Promise<void>;
}

export interface OutcomesOptions {
  readonly folder: string;
  readonly sealing: Sealing | undefined;
  readonly log: Logger;
  /** 1,000 by default. */
  readonly mostFiles?: number;
  /** 256 MiB by default. */
  readonly mostBytes?: number;
}

export function createOutcomes(options: OutcomesOptions): Outcomes {
  const { folder, sealing, log, mostFiles = 1_000, mostBytes = 256 * 1024 ** 2 } = options;
  const fileOf = ({ serviceTaskId, attempt }: Attempt) =>
    join(folder, `${encodeURIComponent(serviceTaskId)}.${attempt}`);

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
      log.error(
        { err, service_task_id, attempt },
        "Service task outcome not written to disk; it is in memory only",
      );
      return false;
    }
  }

  const remove = (attempt: Attempt) => rm(fileOf(attempt), { force: true });

  async function read(name: string): Promise<KeptOutcome | undefined> {
    const [, encoded = "", attempt] = fileName.exec(name) ?? [];
    if (!attempt) return undefined;
    const serviceTaskId = decodeURIComponent(encoded);
    const bytes = await readFile(join(folder, name));
    const plain = bytes[0] === openBrace;
    if (!plain && !sealing) throw new Error("the file is encrypted, and no key is configured");
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
        log.warn(
          { err, file: name },
          "Service task outcome could not be moved from disk to the database; trying again",
        );
      }
    }
  }

  return { keep, remove, storeLeftOver };
}

/** The task's id, which may be any text of an engine, encoded, and the attempt. */
const fileName = /^(.+)\.(\d{1,9})$/;
/** An unfinished file of this age was left by a process that was killed. */
const abandonedMs = 3_600_000;
const openBrace = 0x7b;

/** Bound to the attempt, so that a file that was copied to another name cannot be decrypted. */
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

/** Writes a temporary file and renames it. Each step is on the disk before the next one. */
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
