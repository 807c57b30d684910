/**
 * HAProxy in front of the processes. It asks each of them for `/readyz`, and repeats no request.
 *
 * If none is ready, it sends requests to all of them, so that clients see what Waybill itself answers in an outage.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Child, startChild, until } from "./children.ts";

export interface ProxyServer {
  readonly url: string;
  /** The state of each process, by its name. */
  state(): Promise<ReadonlyMap<string, State>>;
  stop(): Promise<void>;
}

export interface State {
  /** Whether the proxy considers it ready. */
  readonly up: boolean;
  /** How many of its health checks have failed so far. */
  readonly failedChecks: number;
  /** How often the proxy has taken it out so far. */
  readonly timesOut: number;
}

export interface Server {
  readonly name: string;
  readonly port: number;
}

export async function startProxy(
  folder: string,
  servers: readonly Server[],
  port: number,
): Promise<ProxyServer> {
  const [file, socket] = [join(folder, "haproxy.cfg"), join(folder, "haproxy.sock")];
  await writeFile(file, configuration({ port, socket, servers }));
  const options = { cwd: folder, env: {}, logFile: join(folder, "haproxy.log") };
  const child: Child = startChild(["/usr/sbin/haproxy", "-db", "-f", file], options);
  await until("HAProxy answers", async () => (await ask(socket, "show info")) !== "", 10);
  return {
    url: `http://127.0.0.1:${port}`,
    state: async () => parseState(await ask(socket, "show stat")),
    stop: async () => {
      child.kill("SIGTERM");
      await child.exited;
    },
  };
}

interface Configuration {
  readonly port: number;
  readonly socket: string;
  readonly servers: readonly Server[];
}

/** A process is taken out at most one second after its first failed check. */
const configuration = ({ port, socket, servers }: Configuration) => `
global
  stats socket ${socket} mode 600
  maxconn 4000
  log stdout format raw local0
defaults
  mode http
  log global
  option httplog
  option forwardfor
  retries 0
  timeout connect 2s
  timeout client 60s
  timeout server 60s
  timeout check 1s
frontend gateway
  bind 127.0.0.1:${port}
  use_backend unchecked if { nbsrv(checked) eq 0 }
  default_backend checked
backend checked
  balance leastconn
  option httpchk GET /readyz
  http-check expect status 200
  default-server inter 500ms fall 2 rise 1
${servers.map((server) => `  server ${server.name} 127.0.0.1:${server.port} check`).join("\n")}
backend unchecked
  balance roundrobin
${servers.map((server) => `  server ${server.name} 127.0.0.1:${server.port}`).join("\n")}
`;

/** Sends a command to HAProxy's socket. Returns an empty text if it does not answer. */
function ask(socket: string, command: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let text = "";
  Bun.connect({
    unix: socket,
    socket: {
      open: (connection) => void connection.write(`${command}\n`),
      data: (_, chunk) => {
        text += chunk.toString();
      },
      close: () => resolve(text),
      error: () => resolve(""),
    },
  }).catch(() => resolve(""));
  return promise;
}

function parseState(csv: string): Map<string, State> {
  const [head = "", ...lines] = csv.replace(/^# /, "").trim().split("\n");
  const names = head.split(",");
  const rows = lines.map((line) => {
    const values = line.split(",");
    return Object.fromEntries(names.map((name, index) => [name, values[index] ?? ""]));
  });
  const servers = rows.filter(({ pxname, svname }) => pxname === "checked" && svname !== "BACKEND");
  return new Map(
    servers.map(({ svname = "", status = "", chkfail, chkdown }) => [
      svname,
      { up: status.startsWith("UP"), failedChecks: Number(chkfail), timesOut: Number(chkdown) },
    ]),
  );
}
