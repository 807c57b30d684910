import type { HandlersOf } from "../handler.ts";
import { rerunIncident } from "./rerunIncident.ts";

export const incidents = {
  rerunIncident,
} satisfies HandlersOf<"incidents">;
