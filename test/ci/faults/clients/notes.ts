/** Clients that change and delete rows. A row is not touched again after an answer with an unknown outcome. */
import { pause, type Trial, times } from "../trial.ts";
import { rowsPath } from "./ledger.ts";

export type State = number | "absent";

export interface Note {
  readonly tenant: number;
  readonly name: string;
  /** The states that are right at the end: one, or the last two if an outcome is unknown. */
  readonly possible: readonly State[];
}

export interface Notes {
  readonly notes: readonly Note[];
  readonly loops: readonly Promise<void>[];
}

export const notesTable = "notes";

export function keepNotes(trial: Trial): Notes {
  const notes: Note[] = [];
  const keeper = async (tenant: number, keeper: string) => {
    const token = await trial.token({ tenant, user: keeper, role: "admin_sop" });
    for (let number = 1; trial.going(); number++) {
      const name = `${keeper}-${number}`;
      notes.push({ tenant, name, possible: await liveOf(trial, { tenant, token, name }) });
    }
  };
  const loops = trial.tenants.flatMap((tenant) =>
    times(2, (index) => keeper(tenant, `keeper-${tenant}-${index}`)),
  );
  return { notes, loops };
}

interface Subject {
  readonly tenant: number;
  readonly token: string;
  readonly name: string;
}

/** The life of a row: inserted, changed up to three times, and sometimes deleted. */
async function liveOf(trial: Trial, subject: Subject): Promise<State[]> {
  const changes = Math.floor(Math.random() * 4);
  const steps: State[] = [
    0,
    ...times(changes, (index) => index + 1),
    ...(Math.random() < 0.3 ? ["absent" as const] : []),
  ];
  let now: State = "absent";
  for (const next of steps) {
    const outcome = await step(trial, subject, next);
    await pause(80);
    if (outcome === "unknown") return [now, next];
    if (outcome === "refused") return [now];
    now = next;
  }
  return [now];
}

async function step({ send }: Trial, { tenant, token, name }: Subject, next: State) {
  const path = rowsPath(tenant, notesTable);
  const where = { name };
  const ask = { tenant, token };
  if (next === 0)
    return (
      await send({
        ...ask,
        operation: "insertRows",
        to: `POST ${path}`,
        body: { rows: [{ name, state: 0 }] },
      })
    ).outcome;
  if (next === "absent")
    return (await send({ ...ask, operation: "deleteRows", to: `DELETE ${path}`, body: { where } })).outcome;
  const body = { where, set: { state: next } };
  return (await send({ ...ask, operation: "updateRows", to: `PATCH ${path}`, body })).outcome;
}
