/** Everything that the table builder needs to know about one column type. Each type has its own file in this folder. */
export interface ColumnType {
  /** The column's type in PostgreSQL. */
  readonly sqlType: string;
  /** What the column accepts, for messages: "a string", "a whole number from … to …". */
  readonly takes: string;
  /** Whether the column can store a JSON value (never null) without losing anything. */
  accepts(value: unknown): boolean;
  /** The JSON value that a filter's text means. Undefined if the type cannot read it. */
  fromFilter(text: string): unknown;
  /** An accepted value, as text that PostgreSQL casts to `sqlType`. */
  toText(value: unknown): string;
  /** The type with which accepted values of a JSON row are read, if it is not `sqlType`. */
  readonly recordType?: string;
  /**
   * By how many characters the answer of an accepted value is longer than what was sent. Absent for types that grow
   * little. Counting may stop above `maxGrowth`.
   */
  growth?(value: unknown): number;
  /** About how many bytes the answer of a value has at most. Absent for types with short values. */
  readonly maxBytes?: number;
  /** The SQL expression for the answer's value, from the column's expression. Absent if it is the column itself. */
  toAnswer?(column: string): string;
}

/**
 * By how many characters the numbers of a row may grow when PostgreSQL writes them without powers of ten. `1e131000`
 * has 131,001 digits: without this bound, a request of a few kilobytes could make rows that no answer can hold.
 */
export const maxGrowth = 2 * 1024 ** 2;
