/** Signed URLs, each of which is asked for twice at once. */
import type { Answer } from "../http.ts";
import type { Trial } from "../trial.ts";
import { nameOf } from "./pictures.ts";

export interface Link {
  /** Without its token. */
  readonly path: string;
  /** How often 200 was answered. */
  readonly contents: number;
  /** Whether both answers were 401. */
  readonly refusedTwice: boolean;
  /** Whether a whole answer held other bytes than those that were uploaded. */
  readonly damaged: boolean;
}

export async function downloadTwice(
  { send }: Pick<Trial, "send">,
  url: string,
  tenant: number,
): Promise<Link> {
  const { pathname, search } = new URL(url);
  const to = `GET ${pathname}${search}`;
  const ask = () =>
    send({ operation: "downloadSignedAttachment", tenant, to, deserves: ["download_refused"] });
  const answers = await Promise.all([ask(), ask()]);
  return {
    path: pathname,
    contents: answers.filter(({ status }) => status === 200).length,
    refusedTwice: answers.every(({ status }) => status === 401),
    damaged: answers.some(isDamaged),
  };
}

/** A download whose bytes are whole, and not what their name says. */
export function isDamaged({ outcome, bytes, fileName }: Answer): boolean {
  return outcome === "acknowledged" && nameOf(bytes) !== fileName;
}
