/** What went wrong in service tasks, for operators: seen, and run again once its cause is gone (reference 7). */
import type { HandlersOf } from "../../handler.ts";
import { listIncidents } from "./listIncidents.ts";
import { rerunIncident } from "./rerunIncident.ts";

export const incidents = { listIncidents, rerunIncident } satisfies HandlersOf<"incidents">;
