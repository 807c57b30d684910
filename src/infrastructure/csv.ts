/**
 * Writes CSV by RFC 4180: lines end with CRLF, and a cell with a comma, a quote or a line break is in quotes. An empty
 * cell is null; an empty text is `""`.
 */

/** One line, with its end. */
export const csvLine = (cells: readonly (string | null)[]): string => `${cells.map(csvCell).join(",")}\r\n`;

function csvCell(text: string | null): string {
  if (text === null) return "";
  return text === "" || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A text that a spreadsheet would run as a formula begins with one of these. */
const formulaStart = /^[=+\-@\t\r]/;

/** The text with an apostrophe before it if a spreadsheet would run it as a formula. */
export const withoutFormula = (text: string): string => (formulaStart.test(text) ? `'${text}` : text);

/** The same for a SQL expression of type text. */
export const withoutFormulaSql = (expression: string): string =>
  `case when ${expression} ~ E'^[=+\\\\-@\\t\\r]' then '''' || ${expression} else ${expression} end`;

const quote = 0x22;
const comma = 0x2c;
const carriageReturn = 0x0d;
const lineFeed = 0x0a;
const dot = 0x2e;
const plus = 0x2b;
const upperT = 0x54;
const upperZ = 0x5a;
const zero = 0x30;

/**
 * Turns what `copy … to stdout (format csv)` writes into RFC 4180, as it arrives. The database ends its lines with a
 * line feed, and writes moments such as `2026-09-04 08:15:30.5+00`, which become `2026-09-04T08:15:30.500000Z`. Doing
 * the latter with `to_char` takes the database twice the time of the whole export.
 */
export class CsvRewriter {
  readonly #isMoment: readonly boolean[];
  #out: Uint8Array;
  #size = 0;
  #column = 0;
  #cellAt = 0;
  #isQuoted = false;

  /** `isMoment` says for each column whether it holds moments, in UTC. */
  constructor(isMoment: readonly boolean[], capacity: number) {
    this.#isMoment = isMoment;
    this.#out = new Uint8Array(capacity);
  }

  /** Adds bytes that are written as they are, such as a header line. Call it between two lines. */
  start(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#out.set(bytes, this.#size);
    this.#size += bytes.length;
    this.#cellAt = this.#size;
  }

  /** How many bytes `take` would return. */
  get size(): number {
    return this.#size;
  }

  add(bytes: Uint8Array): void {
    // The widest growth is that of a row of nothing but moments without a fraction.
    this.#reserve(2 * bytes.length + 64);
    const out = this.#out;
    let size = this.#size;
    let isQuoted = this.#isQuoted;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] as number;
      if (byte === quote) isQuoted = !isQuoted;
      else if (byte <= comma && !isQuoted && (byte === comma || byte === lineFeed)) {
        if (this.#isMoment[this.#column]) size = writeMoment(out, this.#cellAt, size);
        if (byte === lineFeed) out[size++] = carriageReturn;
        this.#column = byte === lineFeed ? 0 : this.#column + 1;
        this.#cellAt = size + 1;
      }
      out[size++] = byte;
    }
    this.#size = size;
    this.#isQuoted = isQuoted;
  }

  /** Everything that is complete so far. The last cell, if it has no end yet, stays. */
  take(): Uint8Array<ArrayBuffer> {
    const ready = this.#out.slice(0, this.#cellAt) as Uint8Array<ArrayBuffer>;
    this.#out.copyWithin(0, this.#cellAt, this.#size);
    this.#size -= this.#cellAt;
    this.#cellAt = 0;
    return ready;
  }

  #reserve(bytes: number): void {
    if (this.#size + bytes <= this.#out.length) return;
    const larger = new Uint8Array(2 * (this.#size + bytes));
    larger.set(this.#out.subarray(0, this.#size));
    this.#out = larger;
  }
}

const dayLength = 10;
const secondsLength = 19;

/** Rewrites the moment at `start`, and returns where it ends. An empty cell stays empty. */
function writeMoment(out: Uint8Array, start: number, end: number): number {
  if (end - start <= secondsLength) return end;
  out[start + dayLength] = upperT;
  let at = start + secondsLength;
  let fraction = 0;
  if (out[at] === dot) for (at++; out[at] !== plus; at++) fraction++;
  else out[at++] = dot;
  for (; fraction < 6; fraction++) out[at++] = zero;
  out[at++] = upperZ;
  return at;
}
