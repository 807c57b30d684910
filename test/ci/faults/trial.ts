/** What every client of a trial can use. */
import { SignJWT } from "jose";
import type { Send } from "./http.ts";
import type { Receiver } from "./parts/receiver.ts";

export interface Trial {
  readonly send: Send;
  /** Milliseconds since the run began. */
  readonly now: () => number;
  /** Whether clients may begin something new. */
  readonly going: () => boolean;
  /** Whether operators and members finish what has begun. */
  readonly finishing: () => boolean;
  /** The tenants of the ordinary clients. */
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

/** Waits between two requests of a client, for half to one and a half times `ms`. */
export const pause = (ms: number) => Bun.sleep(ms * (0.5 + Math.random()));

/** Repeats `work` while `holds`. An error in it is a mistake of the trial, and ends the run. */
export async function again(holds: () => boolean, work: () => Promise<void>): Promise<void> {
  while (holds()) await work();
}

export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
