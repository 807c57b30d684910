/** Reports on a tenant's processes, for its administrators. See docs/decisions/reads-and-forms.md. */
import type { HandlersOf } from "../../handler.ts";
import { listReportInstances } from "./listReportInstances.ts";

export const reports = { listReportInstances } satisfies HandlersOf<"reports">;
