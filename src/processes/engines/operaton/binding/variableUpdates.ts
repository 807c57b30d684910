/**
 * The engine's history of variables: one entry for each value that was written, with history level FULL.
 *
 * Entries have no order that survives everything. Their sequence counters count within one execution, and their ids are
 * random. Their times are those of the write, but an entry appears when its transaction ends, which can be minutes
 * later. So pages go by time, and whoever must see every entry reads the last minutes again (followVariables.ts). A page
 * begins at the time of the last entry before it, because the history cleanup may remove entries of earlier pages.
 */
import type { Tenant } from "../../../../tenants/tenant.ts";
import { engineTime, parseEngineTime } from "../engineTime.ts";
import type { OperatonContext } from "../operatonContext.ts";
import { EngineError } from "../restErrors.ts";

export interface VariableUpdate {
  readonly tenantId: string | null;
  /** Null in a CMMN case. */
  readonly processInstanceId: string | null;
  readonly rootProcessInstanceId: string | null;
  readonly time: string;
  readonly value: unknown;
}

/** Where a page begins. */
export interface Position {
  readonly from: Date;
  /** Entries at exactly that time, and perhaps later ones, that earlier pages had. */
  readonly skip: number;
}

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

/**
 * A page of the tenant's entries, oldest first. An entry that is too large to be read is left out: 64 MiB are no
 * metadata of a file. Throws `EngineError` and `EngineUnreachable`.
 */
export async function readUpdates(
  context: OperatonContext,
  { slug }: Pick<Tenant, "slug">,
  position: Position,
): Promise<UpdatePage> {
  for (let size = pageSize; ; size = Math.ceil(size / 8)) {
    const page = await ask(context, { slug, size, position }).catch(unlessTooLarge);
    if (page) return { updates: page.filter(isOf(slug)), next: nextOf(page, { size, position }) };
    if (size > 1) continue;
    context.log.warn({ tenant: slug, time: position.from }, "Variable of the engine is too large to be read");
    return { updates: [], next: { ...position, skip: position.skip + 1 } };
  }
}

interface Wanted {
  readonly slug: string;
  readonly size: number;
  readonly position: Position;
}

const ask = ({ rest }: OperatonContext, { slug, size, position: { from, skip } }: Wanted) =>
  rest.call<VariableUpdate[]>({
    method: "POST",
    path: "/history/detail",
    query: { deserializeValues: false, firstResult: skip, maxResults: size },
    body: {
      variableUpdates: true,
      tenantIdIn: [slug],
      variableTypeIn: types,
      occurredAfter: engineTime(from),
      sorting,
    },
  });

function unlessTooLarge(error: unknown): undefined {
  if (!(error instanceof EngineError) || error.type !== "AnswerTooLarge") throw error;
}

const isOf =
  (slug: string) =>
  ({ tenantId }: VariableUpdate) =>
    tenantId === slug;

/** The engine's `occurredAfter` includes the time itself. */
function nextOf(
  page: readonly VariableUpdate[],
  { size, position }: Pick<Wanted, "size" | "position">,
): Position | undefined {
  const last = page.at(-1);
  if (last === undefined || page.length < size) return undefined;
  const from = parseEngineTime(last.time);
  if (from > position.from) return { from, skip: 0 };
  return { from: position.from, skip: position.skip + page.length };
}
