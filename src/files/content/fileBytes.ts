/**
 * Bounded reading from a local file: one window of it is in memory, whatever its size.
 *
 * Reading is synchronous. The checks run in a separate thread, where they block nobody, and promises would take most of
 * the time for a file of many small parts.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** Size of the window in bytes, and the largest length for `peek` and `take`. */
export const windowBytes = 64 * 1024;

export interface FileBytes {
  readonly path: string;
  readonly descriptor: number;
  /** Bytes. */
  readonly size: number;
  /** Reads `length` bytes from `position`, fewer only at the end of the file. */
  read(position: number, length: number): Buffer;
  /** Reads into `bytes` and returns the part that was filled. */
  readInto(bytes: Buffer, position: number): Buffer;
}

/** Opens the file, runs `use`, and closes the file. Throws errors of the file system. */
export async function withFileBytes<T>(path: string, use: (file: FileBytes) => Promise<T> | T): Promise<T> {
  const descriptor = openSync(path, "r");
  try {
    return await use({
      path,
      descriptor,
      size: fstatSync(descriptor).size,
      read: (position, length) => fill(descriptor, Buffer.allocUnsafe(length), position),
      readInto: (bytes, position) => fill(descriptor, bytes, position),
    });
  } finally {
    closeSync(descriptor);
  }
}

function fill(descriptor: number, bytes: Buffer, position: number): Buffer {
  let filled = 0;
  while (filled < bytes.length) {
    const bytesRead = readSync(descriptor, bytes, filled, bytes.length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

/** Reads a file forward through one window. A buffer that it returns is valid until the next call. */
export class Cursor {
  readonly #file: FileBytes;
  // One buffer for the whole file: new ones for each window come faster than the garbage collector frees them.
  readonly #buffer = Buffer.allocUnsafe(windowBytes);
  #window: Buffer = this.#buffer.subarray(0, 0);
  #windowStart = 0;
  position: number;

  constructor(file: FileBytes, position = 0) {
    this.#file = file;
    this.position = position;
  }

  /** Bytes from the position to the end of the file. */
  get remaining(): number {
    return Math.max(0, this.#file.size - this.position);
  }

  /** At least `length` bytes at the position, and the rest of the window. Does not move; shorter only at the end. */
  peekWindow(length: number): Buffer {
    const offset = this.#offsetFor(length);
    return this.#window.subarray(offset);
  }

  peek(length: number): Buffer {
    const offset = this.#offsetFor(length);
    return this.#window.subarray(offset, offset + length);
  }

  /** The byte at the position, or undefined at the end. Does not move. */
  peekByte(): number | undefined {
    const offset = this.#offsetFor(1);
    return this.#window[offset];
  }

  take(length: number): Buffer {
    const bytes = this.peek(length);
    this.position += bytes.length;
    return bytes;
  }

  skip(length: number): void {
    this.position += length;
  }

  /** The position's offset in the window. Reads a new window if this one does not hold `length` bytes from there. */
  #offsetFor(length: number): number {
    const offset = this.position - this.#windowStart;
    if (offset >= 0 && offset + length <= this.#window.length) return offset;
    this.#window = this.#file.readInto(this.#buffer, this.position);
    this.#windowStart = this.position;
    return 0;
  }
}
