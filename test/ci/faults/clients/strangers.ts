/** Requests that are always refused, and requests of new tenants. */
import { again, pause, type Trial } from "../trial.ts";
import { ledgerTable, rowsPath } from "./ledger.ts";

export function sendStrangers(trial: Trial): readonly Promise<void>[] {
  return [makeMistakes(trial), arrive(trial)];
}

/** A refused write must have its record in the audit trail, whatever fails meanwhile. */
async function makeMistakes(trial: Trial): Promise<void> {
  const [tenant = 1] = trial.tenants;
  const token = await trial.token({ tenant, user: "clumsy", role: "admin_sop" });
  await again(trial.going, async () => {
    await trial.send({
      operation: "insertRows",
      tenant,
      token,
      to: `POST ${rowsPath(tenant, ledgerTable)}`,
      body: { rows: [{ colour: "red" }] },
      deserves: ["unknown_column"],
    });
    await pause(150);
  });
}

async function arrive(trial: Trial): Promise<void> {
  for (let tenant = 1_000; trial.going(); tenant++) {
    const token = await trial.token({ tenant, user: "newcomer", role: "admin_sop" });
    await trial.send({
      operation: "listTables",
      tenant,
      token,
      to: `GET /api/v1/report/${tenant}/schema/tables`,
    });
    await pause(500);
  }
}
