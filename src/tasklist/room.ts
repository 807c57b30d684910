import type { HandlersOf } from "../handler.ts";

export const tasklist = {} satisfies HandlersOf<"tasklist">;
