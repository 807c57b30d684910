/** What the table builder knows of one column type. Each type is a file beside this one. */
export interface ColumnType {
  /** The column's type in PostgreSQL. */
  readonly sqlType: string;
  /** What a JSON value of the wrong kind is told to be: "a string", "a whole number from … to …". */
  readonly takes: string;
  /** Whether a JSON value (never null) fits, without losing anything. */
  accepts(value: unknown): boolean;
  /** A filter's text as the JSON value that it means; undefined where it means none. */
  fromFilter(text: string): unknown;
  /** An accepted value as text that PostgreSQL casts to `sqlType`. */
  toText(value: unknown): string;
  /** The type under which `jsonb_to_recordset` reads accepted values, where that is not `sqlType` itself. */
  readonly recordType?: string;
  /**
   * How many characters an accepted value's answer has more than what was sent, where that may be many. Above `maxGrowth`
   * the rest is not counted.
   */
  growth?(value: unknown): number;
  /** About how many bytes a value's answer has at most, where that may be many. */
  readonly maxBytes?: number;
  /** The SQL expression whose JSON is the answer's value, given the column's expression. Itself where absent. */
  toAnswer?(column: string): string;
}

/**
 * Characters by which a row's numbers may grow when they are written out, beyond what was sent: `1e131000` has 131,001.
 * Without this a request of some kilobytes would make rows that no answer can hold.
 */
export const maxGrowth = 2 * 1024 ** 2;
