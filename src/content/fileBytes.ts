/**
 * Bounded reading from a local file: whatever its size, one window of it is in memory.
 */
import { type FileHandle, open } from "node:fs/promises";

/** Bytes held at once, and the most that one `peek` or `take` may ask for. */
export const windowBytes = 64 * 1024;

export interface FileBytes {
  readonly path: string;
  readonly descriptor: number;
  /** Bytes. */
  readonly size: number;
  /** The bytes from `position` on: `length` of them, fewer only at the end of the file. */
  read(position: number, length: number): Promise<Buffer>;
  /** The same into `bytes`, answering the part of it that was filled. */
  readInto(bytes: Buffer, position: number): Promise<Buffer>;
}

/** Opens the file, runs `use`, closes the file. Throws the file system's own error if it cannot be read. */
export async function withFileBytes<T>(path: string, use: (file: FileBytes) => Promise<T>): Promise<T> {
  const handle = await open(path, "r");
  try {
    const { size } = await handle.stat();
    return await use({
      path,
      descriptor: handle.fd,
      size,
      read: (position, length) => fill(handle, Buffer.allocUnsafe(length), position),
      readInto: (bytes, position) => fill(handle, bytes, position),
    });
  } finally {
    await handle.close();
  }
}

async function fill(handle: FileHandle, bytes: Buffer, position: number): Promise<Buffer> {
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, position + filled);
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
  async peekWindow(length: number): Promise<Buffer> {
    const offset = this.position - this.#windowStart;
    if (offset < 0 || offset + length > this.#window.length) {
      this.#window = await this.#file.readInto(this.#buffer, this.position);
      this.#windowStart = this.position;
      return this.#window;
    }
    return this.#window.subarray(offset);
  }

  async peek(length: number): Promise<Buffer> {
    return (await this.peekWindow(length)).subarray(0, length);
  }

  async take(length: number): Promise<Buffer> {
    const bytes = await this.peek(length);
    this.position += bytes.length;
    return bytes;
  }

  skip(length: number): void {
    this.position += length;
  }
}
