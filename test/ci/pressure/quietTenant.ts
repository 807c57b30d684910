/**
 * A tenant that asks for one page ten times a second: `bun quietTenant.ts <url> <token>`.
 *
 * It is a separate process, so that the load does not delay its clock. Each answer is a line of JSON: when the request
 * was sent (milliseconds since 1970), how long it took, and its status, or 0 if there was no answer.
 */
const [url = "", token = ""] = process.argv.slice(2);
const headers = { authorization: `Bearer ${token}` };
const patienceMs = 20_000;

async function ask(): Promise<void> {
  const at = Date.now();
  const since = performance.now();
  let status = 0;
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(patienceMs) });
    await response.arrayBuffer();
    status = response.status;
  } catch {}
  console.log(JSON.stringify({ at, ms: Math.round(performance.now() - since), status }));
}

// Without waiting for the previous answer: a slow request must not delay the next ones.
setInterval(() => void ask(), 100);

export {};
