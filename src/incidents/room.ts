import type { HandlersOf } from "../handler.ts";

export const incidents = {} satisfies HandlersOf<"incidents">;
