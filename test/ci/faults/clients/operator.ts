/** An operator who looks whether the receiver has booked a task, and then reruns its incident. */
import { again, pause, slugOf, type Trial } from "../trial.ts";

export interface Incident {
  readonly incident_id: string;
  readonly process_instance_id: string;
  readonly activity_id: string;
  readonly type: string;
  readonly attempt: number;
  readonly request_sent: "no" | "yes" | "unknown";
  readonly message: string;
}

export interface SeenIncident extends Incident {
  /** Milliseconds since the run began. */
  readonly seenAt: number;
}

export interface Operators {
  readonly incidents: ReadonlyMap<string, SeenIncident>;
  /** How many reruns were acknowledged. */
  readonly reruns: () => number;
  readonly loops: readonly Promise<void>[];
}

export function operate(trial: Trial): Operators {
  const incidents = new Map<string, SeenIncident>();
  let reruns = 0;
  const operator = async (tenant: number) => {
    const token = await trial.token({ tenant, user: "operator", role: "admin_sop" });
    const who = { tenant, token, headers: { "x-active-tenant": slugOf(tenant) } };
    await again(
      () => trial.going() || trial.finishing(),
      async () => {
        const to = "GET /api/v1/probis/incidents?limit=100";
        const list = await trial.send({ operation: "listIncidents", ...who, to });
        const open = list.outcome === "acknowledged" ? list.json<Incident[]>() : [];
        for (const incident of open) {
          if (!incidents.has(incident.incident_id))
            incidents.set(incident.incident_id, { ...incident, seenAt: trial.now() });
          if (await rerun(trial, incident, who)) reruns++;
        }
        await pause(1_000);
      },
    );
  };
  return { incidents, reruns: () => reruns, loops: trial.tenants.map(operator) };
}

type Who = { readonly tenant: number; readonly token: string; readonly headers: Record<string, string> };

/** If the task is booked already, the operator tells the receiver to answer without booking. */
async function rerun({ send, receiver }: Trial, incident: Incident, who: Who): Promise<boolean> {
  const task = `${incident.process_instance_id}:${incident.activity_id}`;
  if (receiver.isBooked(task)) receiver.acceptRepetition(task);
  const answer = await send({
    operation: "rerunIncident",
    ...who,
    to: `POST /api/v1/probis/incidents/${incident.incident_id}/rerun`,
    // A late answer, or a rerun whose answer was lost, may have resolved it.
    deserves: ["incident_resolved"],
  });
  return answer.outcome === "acknowledged";
}
