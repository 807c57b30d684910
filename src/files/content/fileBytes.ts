/**
 * Bounded reading from a local file: whatever its size, one window of it is in memory.
 *
 * Reading is synchronous. The checks run in a thread of their own, where nobody waits behind them, and a file of many
 * small parts would spend most of its time on promises.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** Bytes held at once, and the most that one `peek` or `take` may ask for. */
export const windowBytes = 64 * 1024;

export interface FileBytes {
  readonly path: string;
  readonly descriptor: number;
  /** Bytes. */
  readonly size: number;
  /** The bytes from `position` on: `length` of them, fewer only at the end of the file. */
  read(position: number, length: number): Buffer;
  /** The same into `bytes`, answering the part of it that was filled. */
  readInto(bytes: Buffer, position: number): Buffer;
}

/** Opens the file, runs `use`, closes the file. Throws the file system's own error if it cannot be read. */
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

/** Reads a file forward through one window. What it hands out is valid until the next call. */
export class Cursor {
  readonly #file: FileBytes;
  // One buffer for the whole walk: a fresh one a window outruns the garbage collector on a large file.
  readonly #buffer = Buffer.allocUnsafe(windowBytes);
  #window: Buffer = this.#buffer.subarray(0, 0);
  #windowStart = 0;
  position: number;

  constructor(file: FileBytes, position = 0) {
    this.#file = file;
    this.position = position;
  }

  /** Bytes between here and the end of the file. */
  get remaining(): number {
    return Math.max(0, this.#file.size - this.position);
  }

  /** At least `length` bytes from here without moving, and what else the window holds; fewer only at the end. */
  peekWindow(length: number): Buffer {
    const offset = this.#offsetFor(length);
    return this.#window.subarray(offset);
  }

  peek(length: number): Buffer {
    const offset = this.#offsetFor(length);
    return this.#window.subarray(offset, offset + length);
  }

  /** The byte here, without moving; undefined at the end. */
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

  /** Where the position is in the window, which this may replace by one that holds `length` bytes from there on. */
  #offsetFor(length: number): number {
    const offset = this.position - this.#windowStart;
    if (offset >= 0 && offset + length <= this.#window.length) return offset;
    this.#window = this.#file.readInto(this.#buffer, this.position);
    this.#windowStart = this.position;
    return 0;
  }
}
