/**
 * The engine's history of variables: one entry for each value that was written, with history level FULL.
 *
 * Entries have no order that survives everything. Their sequence counters count within one execution, and their ids are
 * random. Their times are those of the write, but an entry appears when its transaction ends, which can be minutes
 * later. So pages go by time, and whoever must see every entry reads the last minutes again (followVariables.ts). A
 * page begins at the time of the last entry before it, because the history cleanup may remove entries of earlier
 * pages. It is taken from a window of time, so that the engine's database sorts about two pages for each, and not all
 * that follows.
 */
import Type from "typebox";
import type { Tenant } from "../../../../tenants/tenant.ts";
import { engineMoment, shapeOf, textOrNull } from "../answerShape.ts";
import { engineTime, parseEngineTime } from "../engineTime.ts";
import type { OperatonContext } from "../operatonContext.ts";
import { maxVariablesBytes } from "../rest.ts";
import { isTooLarge } from "../restErrors.ts";

const VariableUpdate = Type.Object({
  tenantId: textOrNull,
  /** Null in a CMMN case. */
  processInstanceId: textOrNull,
  rootProcessInstanceId: textOrNull,
  time: engineMoment,
  value: Type.Unknown(),
});
export type VariableUpdate = Type.Static<typeof VariableUpdate>;
const updatesShape = shapeOf(Type.Array(VariableUpdate));

/** Where a page begins. */
export interface Position {
  readonly from: Date;
  /** Entries at exactly that time, and perhaps later ones, that earlier pages had. */
  readonly skip: number;
  /** The length of time that the page is taken from. */
  readonly windowMs: number;
}

const firstWindowMs = 60_000;
const leastWindowMs = 1_000;
const mostWindowMs = 6 * 3_600_000;

export const beginAt = (from: Date): Position => ({ from, skip: 0, windowMs: firstWindowMs });

export interface UpdatePage {
  readonly updates: readonly VariableUpdate[];
  /** Where the next page begins. Undefined if this is the last one. */
  readonly next: Position | undefined;
}

/** Entries of a page. A String has 4,000 characters at most, so they are about 2 MB. A Json has no limit. */
export const pageSize = 500;

/** Types whose value can be metadata, by the engine's names. The last one is an Object that is stored as JSON. */
const types = ["string", "json", "spin://application/json"];

const sorting = ["time", "processInstanceId", "variableName", "variableRevision"].map((sortBy) => ({
  sortBy,
  sortOrder: "asc",
}));

export interface Asked {
  readonly position: Position;
  /** The time at which the page is asked for. A page that leads up to it has the entries of a faster clock, too. */
  readonly now: Date;
}

/**
 * A page of the tenant's entries, oldest first. An entry that is too large to be read is left out: 64 MiB are no
 * metadata of a file. Throws `EngineError` and `EngineUnreachable`.
 */
export async function readUpdates(
  context: OperatonContext,
  { slug }: Pick<Tenant, "slug">,
  { position, now }: Asked,
): Promise<UpdatePage> {
  const end = after(position.from, position.windowMs);
  const until = end < now ? end : undefined;
  for (let size = pageSize; ; size = Math.ceil(size / 8)) {
    const page = await ask(context, { slug, size, position, until }).catch(unlessTooLarge);
    if (page) return { updates: page.filter(isOf(slug)), next: nextOf(page, { size, position, until }) };
    if (size > 1) continue;
    context.log.warn({ tenant: slug, time: position.from }, "Variable of the engine is too large to be read");
    return { updates: [], next: { ...position, skip: position.skip + 1 } };
  }
}

interface Wanted {
  readonly slug: string;
  readonly size: number;
  readonly position: Position;
  /** Undefined: no end. */
  readonly until: Date | undefined;
}

/** The engine includes the times at both ends. */
const ask = ({ rest }: OperatonContext, { slug, size, position: { from, skip }, until }: Wanted) =>
  rest.call(
    {
      method: "POST",
      path: "/history/detail",
      query: { deserializeValues: false, firstResult: skip, maxResults: size },
      body: {
        variableUpdates: true,
        tenantIdIn: [slug],
        variableTypeIn: types,
        occurredAfter: engineTime(from),
        ...(until ? { occurredBefore: engineTime(until) } : {}),
        sorting,
      },
      maxBytes: maxVariablesBytes,
    },
    updatesShape,
  );

function unlessTooLarge(error: unknown): undefined {
  if (!isTooLarge(error)) throw error;
}

const isOf =
  (slug: string) =>
  ({ tenantId }: VariableUpdate) =>
    tenantId === slug;

function nextOf(
  page: readonly VariableUpdate[],
  { size, position, until }: Omit<Wanted, "slug">,
): Position | undefined {
  const { from, skip, windowMs } = position;
  const last = page.at(-1);
  if (last === undefined || page.length < size)
    return until && { from: until, skip: 0, windowMs: Math.min(2 * windowMs, mostWindowMs) };
  const reached = parseEngineTime(last.time);
  if (reached <= from) return { from, skip: skip + page.length, windowMs };
  const length = 2 * (reached.getTime() - from.getTime());
  return { from: reached, skip: 0, windowMs: Math.max(leastWindowMs, Math.min(length, mostWindowMs)) };
}

const after = (moment: Date, ms: number) => new Date(moment.getTime() + ms);
