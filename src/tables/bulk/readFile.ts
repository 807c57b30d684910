import { closeSync, openSync, readSync } from "node:fs";

/** A part of a file. Only for threads: it blocks. */
export function readFile(path: string, offset: number, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  const descriptor = openSync(path, "r");
  try {
    let got = 0;
    while (got < size) {
      const read = readSync(descriptor, bytes, got, size - got, offset + got);
      if (read === 0) break;
      got += read;
    }
    return bytes.subarray(0, got);
  } finally {
    closeSync(descriptor);
  }
}
