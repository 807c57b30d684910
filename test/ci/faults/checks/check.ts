/** A rule that must hold after the trial, and its breaches. */

export interface Check {
  readonly rule: string;
  /** One line for each breach; empty if the rule holds. */
  readonly breaches: readonly string[];
}

export async function check(
  rule: string,
  find: () => readonly string[] | Promise<readonly string[]>,
): Promise<Check> {
  try {
    return { rule, breaches: await find() };
  } catch (error) {
    return { rule, breaches: [`the check itself failed: ${error}`] };
  }
}

/** Groups equal lines, the most frequent first: `12 times: …`. */
export function groupEqual(lines: Iterable<string>): string[] {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).map(([line, count]) => `${count} times: ${line}`);
}
