/**
 * The page's HTML and the policy under which it runs. Everything that a visitor sees but the two sentences here is
 * made by the script, in the visitor's language.
 */

/** Under `assets/` beside the page: a gateway may put both under a path of its own. */
interface AssetNames {
  readonly script: string;
  readonly style: string;
}

/**
 * Nothing but the page's own script, style sheet and calls. form-js sets styles through the DOM's own properties, which
 * no policy forbids, so that no inline style need be allowed; what a form's author writes as a style attribute or
 * `<style>` in an HTML field has no effect. Images of a form are its own (`data:`) or of this host.
 */
function policy(frameAncestors: readonly string[]): string {
  const ancestors = frameAncestors.length > 0 ? frameAncestors.join(" ") : "'none'";
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    `frame-ancestors ${ancestors}`,
  ].join("; ");
}

/** `frameAncestors`: origins that may show the page in a frame. */
export const pageHeaders = (frameAncestors: readonly string[]) => ({
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy": policy(frameAncestors),
  // The address is what opens the form.
  "Referrer-Policy": "no-referrer",
  "Permissions-Policy": "geolocation=(), microphone=(), payment=()",
  "Cross-Origin-Opener-Policy": "same-origin",
});

export const pageOfStartForm = (names: AssetNames) =>
  document(names, {
    head: `<script type="module" src="assets/${names.script}"></script>`,
    body: `<main id="form"></main><noscript><p class="notice">This form needs JavaScript. · Formulir ini memerlukan JavaScript.</p></noscript>`,
  });

export const pageOfNoForm = (names: AssetNames) =>
  document(names, {
    body: `<main><h1>There is no such form</h1><p>Check the address, or ask whoever gave it to you.</p>
<div lang="id"><h1>Formulir tidak ditemukan</h1><p>Periksa alamatnya, atau tanyakan kepada yang memberikannya.</p></div></main>`,
  });

const document = (names: AssetNames, { head = "", body }: { head?: string; body: string }) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Form</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="assets/${names.style}">
${head}
</head>
<body>${body}</body>
</html>
`;
