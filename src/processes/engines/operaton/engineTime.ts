/** Times as the engine reads and writes them: `2026-11-22T04:43:09.666+0000`, with milliseconds. */

export const engineTime = (moment: Date): string => moment.toISOString().replace("Z", "+0000");

const momentOf = (text: string) => new Date(text.replace(/([+-]\d{2})(\d{2})$/, "$1:$2"));

export const isEngineTime = (text: string): boolean => !Number.isNaN(momentOf(text).getTime());

/** Throws a `TypeError` for a text that is no such time. The shapes of answers refuse it earlier. */
export function parseEngineTime(text: string): Date {
  if (!isEngineTime(text)) throw new TypeError("the engine answered with a time that cannot be read");
  return momentOf(text);
}
