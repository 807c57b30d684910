/** Reports on a tenant's processes, from their transaction tables, for its administrators (reference 4, design 10). */
import type { HandlersOf } from "../../handler.ts";
import { listReportInstances } from "./listReportInstances.ts";

export const reports = { listReportInstances } satisfies HandlersOf<"reports">;
