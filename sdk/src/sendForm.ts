/** A multipart POST that says how far it is: by XMLHttpRequest in browsers, by counting the stream elsewhere. */

export interface SendOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** Bytes of the request's body so far; a little more than the file's. */
  readonly onSent?: ((bytes: number) => void) | undefined;
  readonly fetch?: typeof fetch | undefined;
}

export function sendForm(url: string, form: FormData, options: SendOptions): Promise<Response> {
  const { onSent, headers, signal = null, fetch: send = fetch } = options;
  if (!onSent) return send(url, { method: "POST", headers, body: form, signal });
  if (options.fetch === undefined && typeof XMLHttpRequest !== "undefined")
    return sendByXhr(url, form, options);
  const encoded = new Response(form);
  const init = {
    method: "POST",
    headers: { ...headers, "Content-Type": encoded.headers.get("content-type") ?? "" },
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

function sendByXhr(url: string, form: FormData, { headers, signal, onSent }: SendOptions): Promise<Response> {
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
