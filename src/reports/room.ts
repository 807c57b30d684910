import type { HandlersOf } from "../handler.ts";

export const reports = {} satisfies HandlersOf<"reports">;
