/** Sizes as operators write them: `4096`, `10MB`, `1.5 GB`. */

const bytesOf = { "": 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3, TB: 1024 ** 4 } as const;
type ByteUnit = keyof typeof bytesOf;

export interface SizeRule {
  /** `""` allows a plain number of bytes. */
  readonly units: readonly ByteUnit[];
  /** Bytes, as is `most`. */
  readonly least: number;
  readonly most: number;
  /** Says the same to an operator: the value "must be …". */
  readonly expected: string;
}

export const fileSize: SizeRule = {
  units: ["", "KB", "MB"],
  least: 1,
  most: 1024 ** 3,
  expected: "a number of bytes, or a number with KB or MB, from 1 to 1024MB",
};

export const tableFileSize: SizeRule = {
  units: ["", "KB", "MB", "GB"],
  least: 1,
  most: 64 * 1024 ** 3,
  expected: "a number of bytes, or a number with KB, MB or GB, from 1 to 64GB",
};

export const diskSize: SizeRule = {
  units: ["", "KB", "MB", "GB", "TB"],
  least: 0,
  most: 1024 ** 5,
  expected: "a number of bytes, or a number with KB, MB, GB or TB, up to 1024TB",
};

export const memorySize: SizeRule = {
  units: ["MB", "GB"],
  least: 256 * 1024 ** 2,
  most: 1024 ** 4,
  expected: "a number with MB or GB, from 256MB to 1024GB",
};

/** The size in bytes, rounded down. Undefined if the text does not follow the rule. */
export function parseByteSize(text: string, { units, least, most }: SizeRule): number | undefined {
  const pattern = new RegExp(`^(\\d+(?:\\.\\d+)?)\\s*(${units.join("|")})$`, "i");
  const [, number, unit = ""] = pattern.exec(text) ?? [];
  const bytes = Math.floor(Number(number) * bytesOf[unit.toUpperCase() as ByteUnit]);
  return bytes >= least && bytes <= most ? bytes : undefined;
}
