/** What every client of a trial may use. */
import { SignJWT } from "jose";
import type { Send } from "./http.ts";
import type { Receiver } from "./parts/receiver.ts";

export interface Trial {
  readonly send: Send;
  /** Milliseconds since the run began. */
  readonly now: () => number;
  /** Whether clients begin anything new. */
  readonly going: () => boolean;
  /** Whether operators and members still finish what has begun. */
  readonly finishing: () => boolean;
  /** The clients of these tenants are ordinary ones. */
  readonly tenants: readonly number[];
  token(who: Identity): Promise<string>;
  readonly receiver: Receiver;
}

export interface Identity {
  readonly tenant: number;
  readonly user: string;
  readonly role: "admin_sop" | "member" | "engine";
}

export const slugOf = (tenant: number) => `tenant-${tenant}`;

export function createTokens(secret: string): Trial["token"] {
  const key = new TextEncoder().encode(secret);
  return ({ tenant, user, role }) =>
    new SignJWT({ tenants: [{ id: tenant, slug: slugOf(tenant), roles: [role] }] })
      .setProtectedHeader({ alg: "HS256" })
      .setSubject(user)
      .setJti(crypto.randomUUID())
      .setIssuedAt()
      .setExpirationTime("1h")
      .sign(key);
}

/** Between two requests of a client: half to one and a half times so long. */
export const pause = (ms: number) => Bun.sleep(ms * (0.5 + Math.random()));

/** Does it again and again while `holds`; an error in it is a mistake of the trial's, and ends the run. */
export async function again(holds: () => boolean, work: () => Promise<void>): Promise<void> {
  while (holds()) await work();
}

export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
