/** The longest and oddest texts that fit into a URL or a header. Bun accepts 16 kB of both together. */

const most = 15_000;

export interface Odd {
  readonly what: string;
  readonly text: string;
}

export const oddTexts: readonly Odd[] = [
  { what: "blanks", text: `a${" ".repeat(most / 3)}b` },
  { what: "digits", text: "7".repeat(most) },
  { what: "letters", text: "a".repeat(most) },
  { what: "dots", text: `${"1.".repeat(most / 2)}x` },
  { what: "dashes", text: `${"2024-01-01T".repeat(most / 11)}!` },
  { what: "percent signs", text: "%".repeat(most / 3) },
];

/** Headers that a server reads, each with the worst known value. */
export const oddHeaders: readonly (Odd & { readonly name: string })[] = [
  { name: "x-forwarded-for", what: "blanks", text: `a${" ".repeat(15_400)}b` },
  { name: "x-forwarded-for", what: "hops", text: "1.1.1.1,".repeat(1_900) },
  { name: "authorization", what: "blanks", text: `Bearer${" ".repeat(15_000)}x!` },
  { name: "authorization", what: "dots", text: `Bearer ${".".repeat(15_000)}` },
  { name: "content-type", what: "blanks", text: `multipart/form-data;${" ".repeat(15_000)}x` },
  { name: "accept-encoding", what: "many", text: "a;q=0.1,".repeat(1_800) },
  { name: "x-active-tenant", what: "letters", text: "a".repeat(15_000) },
  { name: "x-probis-form-token", what: "dots", text: ".".repeat(15_000) },
];
