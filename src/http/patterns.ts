/** The patterns of the contract in words, because few callers read regular expressions. */
const meanings: Readonly<Record<string, string>> = {
  "^[^\\x00]*$": "It must not contain U+0000.",
  "^[^\\x00-\\x1f\\x7f]*$": "It must not contain control characters.",
  "^[\\x21-\\x7E]+$": "It must have only visible ASCII characters, without spaces.",
  "^-?[0-9]+$": "It must be a whole number.",
  "^-?[0-9]{1,19}$": "It must be a whole number of at most 19 digits.",
  "^[0-9]+$": "It must be a whole number without a sign.",
  "^[0-9]{1,18}$": "It must be a whole number of at most 18 digits, without a sign.",
  "^[a-z][a-z0-9_]*$": "It must begin with one of a to z. Only a to z, digits and underscores may follow.",
  "^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$":
    "It must be at most 100 letters, digits, underscores, dots and hyphens, and begin with a letter or digit.",
  "^[\\w.+-]+/[\\w.+-]+$": "It must be a media type, such as image/png.",
  "^https?://[^\\x00-\\x20]+$": "It must be an http or https URL without spaces.",
  "^https?://[a-z0-9.-]+(:[0-9]{1,5})?$":
    "It must be an origin in lower case, such as https://bank.example. Only scheme, host and port are allowed.",
};

export const meaningOf = (pattern: string) => meanings[pattern] ?? `It must match ${pattern}.`;
