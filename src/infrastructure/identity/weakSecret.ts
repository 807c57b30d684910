/** Secrets that anybody could guess: known from documents, or with next to nothing in them. */

/** In documents, examples and earlier versions of compose.yaml. Compared without punctuation, in lower case. */
const wellKnown = [
  "changeme",
  "changethis",
  "replaceme",
  "replacethis",
  "password",
  "supersecret",
  "yoursecret",
  "your256bitsecret",
  "astringsecretatleast256bitslong",
  "thisisasecret",
  "qwertyuiop",
  "insecure",
];

/** What 32 random digits of base 16 have, less a wide margin. */
const leastBits = 80;

/** What is wrong with a secret, as the end of a sentence that does not repeat it. Undefined for a good one. */
export function weaknessOf(secret: string): string | undefined {
  const plain = secret.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  if (wellKnown.some((known) => plain.includes(known))) return "is well known";
  if (isRepetition(secret)) return "repeats itself";
  if (entropyOf(secret) < leastBits) return "has too few different characters";
  return isSequence(secret) ? "is a sequence of neighbouring characters" : undefined;
}

/** Whether a shorter text, repeated at least once and perhaps cut, gives the whole. */
function isRepetition(text: string): boolean {
  const longest = Math.floor(text.length / 2);
  for (let length = 1; length <= longest; length++)
    if (text.slice(length) === text.slice(0, text.length - length)) return true;
  return false;
}

/** Whether three in four characters are the one before or after their neighbour, or the same. */
function isSequence(text: string): boolean {
  let neighbours = 0;
  for (let at = 1; at < text.length; at++)
    if (Math.abs(text.charCodeAt(at) - text.charCodeAt(at - 1)) <= 1) neighbours++;
  return neighbours > 0.75 * text.length;
}

/** Bits, by how often each character comes. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  return counts.values().reduce((bits, count) => bits - count * Math.log2(count / text.length), 0);
}
