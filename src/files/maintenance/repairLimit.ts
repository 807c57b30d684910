/** Stops a repair that would remove much more than faults leave behind: it probably runs with the wrong database. */
import type { Infrastructure } from "../../infrastructure/infrastructure.ts";
import { reconcile } from "./reconcile.ts";

const maxRemoved = 100;
const maxShare = 0.01;
/** So few may always be removed, because one hundredth of a small storage is nothing. */
const alwaysAllowed = 3;

/** The message is one line. */
export class RepairTooLarge extends Error {
  override readonly name = "RepairTooLarge";
}

/** Counts what a repair would remove, and removes nothing. Throws `RepairTooLarge`. */
export async function refuseLargeRepair(deps: Pick<Infrastructure, "sql" | "storage">): Promise<void> {
  const total = { objects: 0, rows: 0 };
  const removed = { objects: 0, rows: 0 };
  const counting = {
    repair: false,
    onKind: (counts: typeof total) => {
      total.objects += counts.objects;
      total.rows += counts.rows;
    },
  };
  for await (const finding of reconcile(deps, counting)) {
    if (finding.kind === "object without row") removed.objects++;
    if (finding.kind === "row without object" && !["committed", "stored"].includes(finding.state))
      removed.rows++;
  }
  for (const what of ["objects", "rows"] as const)
    if (isTooMany(removed[what], total[what]))
      throw new RepairTooLarge(
        `The repair would remove ${removed[what]} of ${total[what]} ${what}. Nothing was removed. ` +
          "If this is intended, run: bun run reconcile --repair --remove-many",
      );
}

const isTooMany = (removed: number, total: number) =>
  removed > maxRemoved || (removed > alwaysAllowed && removed > total * maxShare);
