/** Collects rows in the text format of COPY: cells end with a tab, rows with a line feed, and `\N` is null. */

const backslash = 0x5c;
const tab = 0x09;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const letterN = 0x4e;
const lowerN = 0x6e;
const lowerR = 0x72;
const lowerT = 0x74;
const quote = 0x22;

const utf8 = new TextEncoder();

export class CopyText {
  #out: Uint8Array;
  #size = 0;
  #rowAt = 0;

  constructor(capacity: number) {
    this.#out = new Uint8Array(capacity);
  }

  /** Adds a null. */
  addNull(): void {
    this.#reserve(3);
    this.#out[this.#size++] = backslash;
    this.#out[this.#size++] = letterN;
    this.#out[this.#size++] = tab;
  }

  /** Adds bytes that need no escape. Each byte `from` becomes `to`. */
  addPlain(bytes: Uint8Array, start: number, end: number, from = 0, to = 0): void {
    this.#reserve(end - start + 1);
    const out = this.#out;
    let size = this.#size;
    for (let at = start; at < end; at++) {
      const byte = bytes[at] as number;
      out[size++] = byte === from ? to : byte;
    }
    out[size++] = tab;
    this.#size = size;
  }

  /** Adds any bytes, escaped. With `isDoubled`, two quotes mean one. */
  addText(bytes: Uint8Array, start: number, end: number, isDoubled = false): void {
    this.#reserve(2 * (end - start) + 1);
    const out = this.#out;
    let size = this.#size;
    for (let at = start; at < end; at++) {
      const byte = bytes[at] as number;
      if (byte === quote && isDoubled) at++;
      if (byte > carriageReturn && byte !== backslash) out[size++] = byte;
      else {
        const letter = escapeOf(byte);
        if (letter !== 0) out[size++] = backslash;
        out[size++] = letter === 0 ? byte : letter;
      }
    }
    out[size++] = tab;
    this.#size = size;
  }

  addString(text: string): void {
    const bytes = utf8.encode(text);
    this.addText(bytes, 0, bytes.length);
  }

  endRow(): void {
    this.#out[this.#size - 1] = lineFeed;
    this.#rowAt = this.#size;
  }

  /** Forgets the cells since the last row. */
  dropRow(): void {
    this.#size = this.#rowAt;
  }

  take(): Uint8Array {
    return this.#out.subarray(0, this.#rowAt);
  }

  #reserve(bytes: number): void {
    if (this.#size + bytes <= this.#out.length) return;
    const larger = new Uint8Array(2 * (this.#size + bytes));
    larger.set(this.#out.subarray(0, this.#size));
    this.#out = larger;
  }
}

function escapeOf(byte: number): number {
  if (byte === backslash) return backslash;
  if (byte === lineFeed) return lowerN;
  if (byte === carriageReturn) return lowerR;
  return byte === tab ? lowerT : 0;
}
