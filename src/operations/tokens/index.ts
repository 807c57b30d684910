/**
 * Access tokens, for tenant administrators.
 *
 * What holds here: a revocation counts for the tenant of its administrator, and is never taken back or shortened.
 */
import type { HandlersOf } from "../../handler.ts";
import { revokeToken } from "./revokeToken.ts";

export const tokens = { revokeToken } satisfies HandlersOf<"tokens">;
