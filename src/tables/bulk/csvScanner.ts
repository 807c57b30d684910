/**
 * Finds the cells of CSV in bytes (RFC 4180). Pure. A row ends with CRLF, LF or CR. It copies nothing: a cell is where
 * it begins and ends.
 */

const quote = 0x22;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** How a cell is written. A quoted one may have doubled quotes, each of which means one. */
export const plain = 0;
export const quoted = 1;
export const doubled = 2;

export type Scanned = "row" | "more" | "stray quote" | "text after quote" | "no closing quote";

export class CsvScanner {
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** `plain`, `quoted` or `doubled`. */
  readonly styles: Uint8Array;
  /** The number of cells of the last row. Only the first `capacity` are in the lists. */
  count = 0;
  /** Where the next row begins. After a fault, where the fault is. */
  next = 0;
  /** The line breaks of the last row, with the one at its end. */
  lines = 0;

  readonly #delimiter: number;
  readonly #capacity: number;

  constructor(delimiter: string, capacity: number) {
    this.#delimiter = delimiter.charCodeAt(0);
    this.#capacity = capacity;
    this.starts = new Int32Array(capacity);
    this.ends = new Int32Array(capacity);
    this.styles = new Uint8Array(capacity);
  }

  /** Reads one row. `more` means that its end is not in the bytes; with `isEnd` they are all there are. */
  scan(bytes: Uint8Array, from: number, isEnd: boolean): Scanned {
    const length = bytes.length;
    this.count = 0;
    this.lines = 1;
    for (let at = from; ; at++) {
      const isQuoted = bytes[at] === quote;
      const ended = isQuoted ? this.#quoted(bytes, at + 1, isEnd) : this.#plain(bytes, at);
      this.next = at = ended;
      if (this.#fault) return this.#takeFault();
      if (at >= length) return isEnd ? "row" : "more";
      const byte = bytes[at];
      if (byte === this.#delimiter) continue;
      if (byte === carriageReturn) {
        if (at + 1 === length && !isEnd) return "more";
        this.next = bytes[at + 1] === lineFeed ? at + 2 : at + 1;
        return "row";
      }
      if (byte === lineFeed) {
        this.next = at + 1;
        return "row";
      }
      return isQuoted ? "text after quote" : "stray quote";
    }
  }

  #fault: Scanned | undefined;

  #takeFault(): Scanned {
    const fault = this.#fault ?? "row";
    this.#fault = undefined;
    return fault;
  }

  /** Stops at the end of the cell, or at a quote in it. */
  #plain(bytes: Uint8Array, start: number): number {
    const delimiter = this.#delimiter;
    let at = start;
    for (; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte === delimiter || byte === lineFeed || byte === carriageReturn || byte === quote) break;
    }
    this.#add(start, at, plain);
    return at;
  }

  #quoted(bytes: Uint8Array, start: number, isEnd: boolean): number {
    let style = quoted;
    let at = start;
    for (; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte === lineFeed) this.lines++;
      if (byte !== quote) continue;
      if (bytes[at + 1] !== quote) break;
      style = doubled;
      at++;
    }
    if (at >= bytes.length) this.#fault = isEnd ? "no closing quote" : "more";
    else if (at + 1 === bytes.length && !isEnd) this.#fault = "more";
    this.#add(start, at, style);
    return at + 1;
  }

  #add(start: number, end: number, style: number): void {
    const index = this.count++;
    if (index >= this.#capacity) return;
    this.starts[index] = start;
    this.ends[index] = end;
    this.styles[index] = style;
  }
}
