/** PNG files with different bytes. The name of each is its SHA-256. */
import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import { fixtureBytes } from "../../../support/attachments.ts";

const pixels = Buffer.from(await fixtureBytes("pillow.png"));
const endBytes = 12;

/** A picture of up to 60 kB. */
export function picture(): File {
  const body = randomBytes(16 + Math.floor(Math.random() * 60_000));
  const chunk = Buffer.concat([Buffer.from("wbLt"), body]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.length);
  checksum.writeUInt32BE(crc32(chunk));
  const bytes = Buffer.concat([
    pixels.subarray(0, -endBytes),
    length,
    chunk,
    checksum,
    pixels.subarray(-endBytes),
  ]);
  return new File([bytes], nameOf(bytes), { type: "image/png" });
}

export const nameOf = (bytes: Uint8Array) =>
  `${new Bun.CryptoHasher("sha256").update(bytes).digest("hex")}.png`;
