/** Part 3: the most memory that a fresh server ever had while a hundred files of 10 MB arrived at once. */
import { readFile } from "node:fs/promises";
import type { ServerProcess } from "../processes.ts";
import { sampleFiles } from "./files.ts";
import { type UploadBody, uploadBody, uploadToBaseline, uploadToWaybill } from "./requests.ts";

export const uploadsAtOnce = 100;

export interface Peak {
  /** Bytes: before the first upload, and the most until the last was stored. */
  readonly before: number;
  readonly peak: number;
  readonly seconds: number;
}

export const measureWaybillPeak = (server: ServerProcess) =>
  measurePeak(server, (turn, body) => uploadToWaybill(server.url, 20 * turn, body));

export const measureBaselinePeak = (server: ServerProcess) =>
  measurePeak(server, (_, body) => uploadToBaseline(server.url, body));

async function measurePeak(
  { pid }: ServerProcess,
  upload: (turn: number, body: UploadBody) => Promise<unknown>,
): Promise<Peak> {
  const bodies = sampleFiles(10_000_000).map(uploadBody);
  const before = await peakMemory(pid);
  const start = performance.now();
  const turns = Array.from({ length: uploadsAtOnce }, (_, turn) => turn);
  await Promise.all(turns.map((turn) => upload(turn, bodies[turn % bodies.length] as UploadBody)));
  return { before, peak: await peakMemory(pid), seconds: (performance.now() - start) / 1000 };
}

/** The most resident memory that a process has had since it began, in bytes (Linux). */
async function peakMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
}
