/** Bodies that stop in the middle. They must not use the server's memory and connections for long. */
import { connect, type Socket } from "node:net";
import { slugOf, type World } from "./world.ts";

const MiB = 1024 ** 2;

export interface Stall {
  readonly what: string;
  readonly connections: number;
  /** The bytes that each announces, and those that it sends. */
  readonly announced: number;
  readonly sent: number;
}

export const stalls: readonly Stall[] = [
  {
    what: "64 bodies of 30 MiB that stall before their end",
    connections: 64,
    announced: 30 * MiB,
    sent: 29 * MiB,
  },
  { what: "1,000 small bodies that stall", connections: 1_000, announced: 1_000, sent: 10 },
];

export interface Outcome {
  /** Connections that the server has not closed. */
  readonly open: number;
  /** The largest growth of the server's memory meanwhile, in MiB. */
  readonly grown: number;
}

/** Longer than a body may wait for its turn and then stall. */
const patienceMs = 40_000;

export async function stall(
  world: World,
  pid: number,
  { connections, announced, sent }: Stall,
): Promise<Outcome> {
  const token = await world.token({ user: "slow", tenant: 1, roles: ["admin_sop"] });
  const head = [
    "POST /api/v1/report/1/schema/tables/customers/rows HTTP/1.1",
    "Host: localhost",
    `Authorization: Bearer ${token}`,
    `x-active-tenant: ${slugOf(1)}`,
    "Content-Type: application/json",
    `Content-Length: ${announced}`,
  ];
  const { hostname, port } = new URL(world.url);
  const before = await residentMiB(pid);
  const bytes = Buffer.alloc(sent, " ");
  const sockets = Array.from({ length: connections }, () => {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on("error", () => {}).resume();
    socket.write(`${head.join("\r\n")}\r\n\r\n`);
    socket.write(bytes);
    return socket;
  });
  let grown = 0;
  for (const until = Date.now() + patienceMs; isAnyOpen(sockets) && Date.now() < until; await Bun.sleep(200))
    grown = Math.max(grown, (await residentMiB(pid)) - before);
  const open = sockets.filter((socket) => !socket.closed).length;
  for (const socket of sockets) socket.destroy();
  return { open, grown };
}

const isAnyOpen = (sockets: readonly Socket[]) => sockets.some((socket) => !socket.closed);

async function residentMiB(pid: number): Promise<number> {
  const status = await Bun.file(`/proc/${pid}/status`).text();
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}
