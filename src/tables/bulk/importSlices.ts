/** The rows of a file, slice by slice, read by threads ahead of the database. */
import { Problem } from "../../infrastructure/problem.ts";
import { type Workers, WorkTimeout, workIn } from "../../infrastructure/workers/workers.ts";
import type { ImportPlan, Place } from "./importPlan.ts";
import type { Slice } from "./importWork.ts";

const work = new URL("./importWork.ts", import.meta.url);
/** A slice of a megabyte takes some tens of milliseconds, at worst some seconds. */
const sliceWork = workIn<typeof import("./importWork.ts")>()(work, "readSlice", 30_000);

/** Where each slice begins, to find the line of a row later. */
export type Places = Place[];

/** One slice is read while the one before is written. So two of them are in memory, however large the file is. */
export async function* slicesOf(
  workers: Workers,
  plan: ImportPlan,
  { first, group, places }: { readonly first: Place; readonly group: string; readonly places: Places },
): AsyncGenerator<Slice> {
  const read = (place: Place) => {
    places.push(place);
    const slice = workers.run(sliceWork, { plan, place }, group).catch(refuse);
    slice.catch(() => {});
    return slice;
  };
  for (let next: Promise<Slice> | undefined = read(first); next; ) {
    const slice: Slice = await next;
    next = slice.isLast ? undefined : read(slice.next);
    yield slice;
  }
}

/** The line on which a row begins. */
export async function lineOf(
  workers: Workers,
  plan: ImportPlan,
  { row, group, places }: { readonly row: number; readonly group: string; readonly places: Places },
): Promise<number | undefined> {
  const place = places.findLast((start) => start.row <= row);
  if (!place) return undefined;
  const { next } = await workers.run(sliceWork, { plan, place, untilRow: row }, group);
  return next.row === row ? next.line : undefined;
}

function refuse(error: unknown): never {
  if (!(error instanceof WorkTimeout)) throw error;
  throw new Problem("invalid_value", {
    message: "A part of the file took too long to read. Nothing was imported.",
    cause: error,
  });
}
