import type { HandlersOf } from "../handler.ts";

export const startForm = {} satisfies HandlersOf<"startForm">;
