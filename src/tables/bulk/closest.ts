/** Which name somebody may have meant. */

const longest = 63;

/** The name that differs only in case and signs, or else in at most two characters. Undefined if there is none. */
export function closest(given: string, names: readonly string[]): string | undefined {
  if (given.length > 2 * longest) return undefined;
  const plain = plainName(given);
  const same = names.find((name) => plainName(name) === plain);
  if (same !== undefined) return same;
  const near = names
    .map((name) => ({ name, edits: editsBetween(plain, name, 2) }))
    .filter(({ edits }) => edits <= 2)
    .sort((a, b) => a.edits - b.edits);
  return plain.length > 3 ? near[0]?.name : undefined;
}

const plainName = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

/** How many characters have to be added, removed or replaced (Levenshtein), counted up to `most`. */
function editsBetween(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}
