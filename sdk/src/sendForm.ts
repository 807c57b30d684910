/**
 * A POST of a form or of one file that reports its progress: with XMLHttpRequest in browsers, by counting the bytes of the stream
 * elsewhere. With the caller's own `fetch` in a browser, it reports only the start and the end, because browsers stream
 * bodies only over HTTP/2, or not at all.
 */

export interface SendOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** How many bytes of the body were sent so far. At the end, the size of the files or a little more. */
  readonly onSent?: ((bytes: number) => void) | undefined;
  readonly fetch?: typeof fetch | undefined;
}

export function sendForm(url: string, form: FormData | Blob, options: SendOptions): Promise<Response> {
  const { onSent, fetch: own } = options;
  if (onSent && !own && typeof XMLHttpRequest !== "undefined") return sendByXhr(url, form, options);
  return onSent && !inBrowser() ? sendCounted(url, form, options) : sendWhole(url, form, options);
}

/** Includes service workers, which have no XMLHttpRequest. */
const inBrowser = () => typeof XMLHttpRequest !== "undefined" || "ServiceWorkerGlobalScope" in globalThis;

async function sendWhole(url: string, form: FormData | Blob, options: SendOptions): Promise<Response> {
  const { onSent, headers, signal = null, fetch: send = fetch } = options;
  onSent?.(0);
  const response = await send(url, { method: "POST", headers, body: form, signal });
  onSent?.(bytesOf(form));
  return response;
}

const bytesOf = (form: FormData | Blob) =>
  form instanceof Blob
    ? form.size
    : ([...form.values()] as (string | Blob)[]).reduce(
        (sum, value) => sum + (typeof value === "string" ? 0 : value.size),
        0,
      );

function sendCounted(url: string, form: FormData | Blob, options: SendOptions): Promise<Response> {
  const { onSent = () => {}, headers, signal = null, fetch: send = fetch } = options;
  const encoded = new Response(form);
  const init = {
    method: "POST",
    headers: { "Content-Type": encoded.headers.get("content-type") ?? "", ...headers },
    body: encoded.body?.pipeThrough(counter(onSent)) ?? null,
    signal,
    duplex: "half",
  };
  return send(url, init as RequestInit);
}

function counter(onSent: (bytes: number) => void): TransformStream<Uint8Array, Uint8Array> {
  let sent = 0;
  return new TransformStream({
    transform(chunk, controller) {
      sent += chunk.byteLength;
      onSent(sent);
      controller.enqueue(chunk);
    },
  });
}

function sendByXhr(
  url: string,
  form: FormData | Blob,
  { headers, signal, onSent }: SendOptions,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    request.open("POST", url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => onSent?.(loaded);
    request.onload = () => resolve(answerOf(request));
    request.onerror = () => reject(new TypeError("The server could not be reached."));
    request.onabort = () => reject(signal?.reason);
    request.onloadend = () => signal?.removeEventListener("abort", abort);
    signal?.addEventListener("abort", abort);
    request.send(form);
  });
}

function answerOf(request: XMLHttpRequest): Response {
  const headers = new Headers();
  for (const name of ["Content-Type", "Retry-After", "X-Request-Id"]) {
    const value = request.getResponseHeader(name);
    if (value !== null) headers.set(name, value);
  }
  return new Response(request.responseText, { status: request.status, headers });
}
