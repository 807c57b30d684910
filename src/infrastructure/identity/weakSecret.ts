/** Finds secrets that somebody could guess: known from documents, or with too little randomness. */

/** From documents, examples and earlier versions of compose.yaml. Compared in lower case, without punctuation. */
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

/** 32 random hexadecimal digits have 128 bits. This leaves a wide margin. */
const leastBits = 80;

/** What is wrong with a secret, as the end of a sentence. Never repeats the secret. Undefined for a good one. */
export function weaknessOf(secret: string): string | undefined {
  const plain = secret.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  if (wellKnown.some((known) => plain.includes(known))) return "is well known";
  if (isRepetition(secret)) return "repeats itself";
  if (entropyOf(secret) < leastBits) return "has too few different characters";
  return isSequence(secret) ? "is a sequence of neighbouring characters" : undefined;
}

/** Whether the text is a shorter text, repeated and perhaps cut at the end. */
function isRepetition(text: string): boolean {
  const longest = Math.floor(text.length / 2);
  for (let length = 1; length <= longest; length++)
    if (text.slice(length) === text.slice(0, text.length - length)) return true;
  return false;
}

/** Whether more than three in four characters follow, precede or equal the character before them. */
function isSequence(text: string): boolean {
  let neighbours = 0;
  for (let at = 1; at < text.length; at++)
    if (Math.abs(text.charCodeAt(at) - text.charCodeAt(at - 1)) <= 1) neighbours++;
  return neighbours > 0.75 * text.length;
}

/** The entropy of the whole text in bits, by how often each character occurs. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  return counts.values().reduce((bits, count) => bits - count * Math.log2(count / text.length), 0);
}
