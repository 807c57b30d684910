import type { HandlersOf } from "../handler.ts";

export const integration = {} satisfies HandlersOf<"integration">;
