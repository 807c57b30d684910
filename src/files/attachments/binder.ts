import type { Caller } from "../../tenants/caller.ts";

/** Administrators and engines bind any file of their tenant; others only what `Binder` says. */
export const bindsAny = ({ roles }: Pick<Caller, "roles">): boolean =>
  roles.some((role) => role === "admin_sop" || role === "engine");
