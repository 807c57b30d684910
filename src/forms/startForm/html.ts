/**
 * The page's HTML and its content security policy. The HTML contains only the texts for browsers without JavaScript and
 * for a missing form. The script writes everything else, in the visitor's language.
 */

/** Files under `assets/`, relative to the page, because a gateway may put both under another path. */
interface AssetNames {
  readonly script: string;
  readonly style: string;
}

/**
 * Allows only the page's own script, style sheet and requests. form-js sets styles through DOM properties, which no
 * policy forbids, so inline styles stay forbidden. A style attribute or `<style>` that a form's author writes in an
 * HTML field has no effect. A form's images are `data:` URLs or come from this host.
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

/** `frameAncestors` are the origins that may show the page in a frame. */
export const pageHeaders = (frameAncestors: readonly string[]) => ({
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy": policy(frameAncestors),
  // Everybody who has the address can open the form, so it is not sent to other sites.
  "Referrer-Policy": "no-referrer",
  "Permissions-Policy": "geolocation=(), microphone=(), payment=()",
  "Cross-Origin-Opener-Policy": "same-origin",
});

export const pageOfStartForm = (names: AssetNames) =>
  document(names, {
    head: `<script type="module" src="assets/${names.script}"></script>`,
    body: `<main id="form"></main>
<noscript><p class="notice">This form needs JavaScript. · Formulir ini memerlukan JavaScript.</p></noscript>`,
  });

export const pageOfNoForm = (names: AssetNames) =>
  document(names, {
    body: `<main>
<h1>This form does not exist</h1>
<p>Check the address, or ask the person who gave it to you.</p>
<div lang="id">
<h1>Formulir tidak ditemukan</h1>
<p>Periksa alamatnya, atau tanyakan kepada yang memberikannya.</p>
</div>
</main>`,
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
