/** Who may do what with attachments. */
import type { Caller } from "../../tenants/caller.ts";

/** Who uploads or deletes an attachment: a signed-in user, or a visitor in a form session. */
export type Actor<Session = { readonly id: string }> =
  | { readonly user: string }
  | { readonly session: Session };

/** A user who binds attachments to a process instance: always their own uploads. */
export interface BindingUser {
  readonly user: string;
  /** Instances to which the user may also bind uploads of others. */
  readonly instances?: readonly string[];
}

/** Administrators and engines bind any file of their tenant; other users only what `BindingUser` allows. */
export const bindsAny = ({ roles }: Pick<Caller, "roles">): boolean =>
  roles.some((role) => role === "admin_sop" || role === "engine");
