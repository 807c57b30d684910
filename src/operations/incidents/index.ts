/** Incidents of service tasks and timers: operators list them, and rerun them once the cause is removed. */
import type { HandlersOf } from "../../handler.ts";
import { listIncidents } from "./listIncidents.ts";
import { rerunIncident } from "./rerunIncident.ts";

export const incidents = { listIncidents, rerunIncident } satisfies HandlersOf<"incidents">;
