/**
 * A tenant that asks for one page ten times a second, whatever happens to the others: `bun quietTenant.ts <url> <token>`.
 *
 * A process of its own, so that the clock is not that of the load. Each answer is a line of JSON: when the request was
 * sent (milliseconds since 1970), how long it took, and its status, 0 where there was none.
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

// Not one after the other: a request that waits must not keep the next ones from being sent.
setInterval(() => void ask(), 100);

export {};
