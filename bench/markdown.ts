/** Figures as Markdown. */
export const round = (value: number, digits = 2) => value.toFixed(digits);

export const megabytes = (bytes: number) => `${round(bytes / 1024 ** 2, 0)} MiB`;

export const verdict = (met: boolean) => (met ? "met" : "**missed**");

export function markdownTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [heads, heads.map(() => "---"), ...rows];
  return `${lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n")}\n`;
}
