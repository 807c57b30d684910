/** The listening socket, and its orderly end. */
import type { createApp } from "./app.ts";
import { type Config, ConfigError } from "./config.ts";
import { idleSeconds } from "./http/bind.ts";

/** Larger than the largest body of the contract: http/body.ts refuses sooner, with a Problem. */
const maxRequestBodySize = 1024 ** 3 + 1024 ** 2;
/** What is under way when the drain begins may take this long. */
const drainMs = 25_000;

export interface Server {
  readonly url: URL;
  /** Takes no more connections; resolves once all requests are answered, or are cut off after 25 s. */
  stop(): Promise<void>;
}

type Address = Pick<Config, "host" | "port">;

/** Listens. Throws a one-line ConfigError where the address cannot be had. */
export function listen(app: ReturnType<typeof createApp>, address: Address): Server {
  const server = serve(app, address);
  app.server = server as typeof app.server;
  return {
    url: server.url,
    stop: async () => {
      const timer = setTimeout(() => server.stop(true), drainMs);
      await server.stop();
      clearTimeout(timer);
    },
  };
}

function serve(app: ReturnType<typeof createApp>, { host, port }: Address) {
  try {
    const fetch = (request: Request) => app.fetch(withHost(request));
    return Bun.serve({ hostname: host, port, maxRequestBodySize, idleTimeout: idleSeconds, fetch });
  } catch (cause) {
    const taken = ["EADDRINUSE", "EACCES"].includes((cause as NodeJS.ErrnoException).code ?? "");
    if (taken)
      throw new ConfigError(`PORT is ${port}; it takes a port that is free on HOST ${host}`, { cause });
    throw new ConfigError(`HOST is ${JSON.stringify(host)}; it takes an address of this machine`, { cause });
  }
}

/**
 * Without a usable Host header Bun gives a path for a URL, in which Elysia would look for the path in vain. The request
 * stays the one that Bun knows: of a copy the server could not say where it came from.
 */
function withHost(request: Request): Request {
  if (request.url.startsWith("/"))
    Object.defineProperty(request, "url", { value: `http://localhost${request.url}` });
  return request;
}
