/**
 * Access tokens, for tenant administrators. A revocation holds in the administrator's tenant. It cannot be undone or
 * shortened.
 */
import type { HandlersOf } from "../../handler.ts";
import { revokeToken } from "./revokeToken.ts";

export const tokens = { revokeToken } satisfies HandlersOf<"tokens">;
