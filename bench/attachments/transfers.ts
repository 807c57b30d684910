/** Part 1: what an upload and a download cost beside a server that only moves the bytes. */
import { type Comparison, compare, type Schedule } from "../measure.ts";
import { sampleFiles } from "./files.ts";
import {
  download,
  finalize,
  issue,
  type UploadBody,
  uploadBody,
  uploadToBaseline,
  uploadToWaybill,
} from "./requests.ts";

export interface Servers {
  readonly baseline: string;
  readonly waybill: string;
}

export interface Size {
  readonly name: string;
  /** Bytes. */
  readonly bytes: number;
  readonly schedule: Omit<Schedule, "concurrency">;
}

/** Fewer of the large ones: a round of them moves a hundred times the bytes. */
export const sizes: readonly Size[] = [
  { name: "100 kB", bytes: 100_000, schedule: { rounds: 20, block: 24 } },
  { name: "1 MB", bytes: 1_000_000, schedule: { rounds: 20, block: 12 } },
  { name: "10 MB", bytes: 10_000_000, schedule: { rounds: 12, block: 6 } },
];

export const concurrencies = [1, 6] as const;

export interface Transfer {
  readonly size: Size;
  readonly concurrency: number;
  readonly comparison: Comparison;
}

export interface Download extends Transfer {
  /** Medians in milliseconds. */
  readonly firstByte: { readonly baseline: number; readonly waybill: number };
}

/** jpg, png and pdf in turn. */
const bodiesOf = ({ bytes }: Size) => sampleFiles(bytes).map(uploadBody);
const pick = (bodies: readonly UploadBody[], turn: number) => bodies[turn % bodies.length] as UploadBody;

/** Every upload of a run has a turn of its own, so that no user uploads too often. */
let turns = 0;

export async function measureUploads({ baseline, waybill }: Servers, selected = sizes): Promise<Transfer[]> {
  const results: Transfer[] = [];
  for (const size of selected) {
    const bodies = bodiesOf(size);
    for (const concurrency of concurrencies) {
      const comparison = await compare(
        (turn) => uploadToBaseline(baseline, pick(bodies, turn)),
        (turn) => uploadToWaybill(waybill, turns++, pick(bodies, turn)),
        { ...size.schedule, concurrency },
      );
      results.push({ size, concurrency, comparison });
    }
  }
  return results;
}

export async function measureDownloads(servers: Servers, selected = sizes): Promise<Download[]> {
  const results: Download[] = [];
  for (const size of selected) {
    const files = await Promise.all(bodiesOf(size).map((body) => place(servers, body)));
    for (const concurrency of concurrencies)
      results.push(await compareDownloads(servers, files, { size, concurrency }));
  }
  return results;
}

interface PlacedFile {
  /** Bytes. */
  readonly size: number;
  readonly onBaseline: string;
  readonly onWaybill: string;
}

const instance = "downloads";

async function place({ baseline, waybill }: Servers, body: UploadBody): Promise<PlacedFile> {
  const id = await uploadToWaybill(waybill, turns++, body);
  await finalize(waybill, instance, [id]);
  const onBaseline = `${baseline}/files/${await uploadToBaseline(baseline, body)}`;
  return { size: body.size, onWaybill: id, onBaseline };
}

/** As an outside system downloads: by signed URL, each used once; they are issued before anything is measured. */
async function compareDownloads(
  { waybill }: Servers,
  files: readonly PlacedFile[],
  { size, concurrency }: { size: Size; concurrency: number },
): Promise<Download> {
  const schedule = { rounds: size.schedule.rounds, block: 2 * size.schedule.block, concurrency };
  const urls = await issueFor(waybill, files, (schedule.rounds + 3) * schedule.block);
  const firstBytes = { baseline: [] as number[], waybill: [] as number[] };
  const comparison = await compare(
    async (turn) => {
      const file = files[turn % files.length] as PlacedFile;
      firstBytes.baseline.push(await download(file.onBaseline, file.size));
    },
    async () => {
      const { url, size: bytes } = urls.pop() as IssuedUrl;
      firstBytes.waybill.push(await download(url, bytes));
    },
    schedule,
  );
  const firstByte = { baseline: median(firstBytes.baseline), waybill: median(firstBytes.waybill) };
  return { size, concurrency, comparison, firstByte };
}

interface IssuedUrl {
  readonly url: string;
  readonly size: number;
}

/** The URLs name the public address of the instance; here the server is asked without a gateway. */
async function issueFor(server: string, files: readonly PlacedFile[], count: number): Promise<IssuedUrl[]> {
  const issued: IssuedUrl[] = [];
  while (issued.length < count) {
    const some = Array.from({ length: 300 }, (_, index) => files[index % files.length] as PlacedFile);
    const urls = await issue(
      server,
      instance,
      some.map(({ onWaybill }) => onWaybill),
    );
    for (const [index, url] of urls.entries()) {
      const { pathname, search } = new URL(url);
      issued.push({ url: server + pathname + search, size: some[index]?.size ?? 0 });
    }
  }
  return issued;
}

const median = (values: readonly number[]) =>
  Float64Array.from(values).sort()[values.length >> 1] ?? Number.NaN;
