/** What the patterns of the contract ask for, in words: few callers read regular expressions. */
const meanings: Readonly<Record<string, string>> = {
  "^[^\\x00]*$": "It must not hold U+0000.",
  "^-?[0-9]+$": "It must be a whole number.",
  "^[a-z][a-z0-9_]*$":
    "It must begin with one of a to z; then only a to z, digits and underscores may follow.",
  "^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$":
    "It must be at most 100 letters, digits, underscores, dots and hyphens, a letter or digit first.",
  "^[\\w.+-]+/[\\w.+-]+$": "It must be a media type, such as image/png.",
  "^https?://[^\\x00-\\x20]+$": "It must be an http or https URL without blanks.",
  "^https?://[a-z0-9.-]+(:[0-9]{1,5})?$":
    "It must be an origin in lower case, such as https://bank.example: scheme, host and at most a port.",
};

export const meaningOf = (pattern: string) => meanings[pattern] ?? `It must match ${pattern}.`;
