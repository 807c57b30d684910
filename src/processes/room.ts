import type { HandlersOf } from "../handler.ts";

export const processes = {} satisfies HandlersOf<"processes">;
