/** Downloads signed URLs, each of them twice at the same time. */
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
  /** Whether a complete answer had other bytes than the upload. */
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

/** Whether a complete download has bytes that do not match its name. */
export function isDamaged({ outcome, bytes, fileName }: Answer): boolean {
  return outcome === "acknowledged" && nameOf(bytes) !== fileName;
}
