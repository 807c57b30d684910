/** A TCP proxy on loopback that can go away, hang, slow down or cut connections between us and a real server. */
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/**
 * `pass` forwards · `refuse` closes every connection · `hang` takes everything and says nothing ·
 * `cut` breaks a connection after the server's first `cutAfter` bytes · `stop` goes silent there instead.
 */
export type Fault = "pass" | "refuse" | "hang" | "cut" | "stop";

export interface FaultyProxy {
  readonly url: URL;
  /** Connections that are open on our side. */
  readonly open: () => number;
  /** Changes what happens to connections from now on; those that are open are closed. */
  set(fault: Fault, options?: { cutAfter?: number }): void;
  close(): Promise<void>;
}

export async function startFaultyProxy(target: URL): Promise<FaultyProxy> {
  const sockets = new Set<Socket>();
  let fault: Fault = "pass";
  let cutAfter = 0;

  const server = createServer((near) => {
    track(near);
    if (fault === "refuse") return void near.destroy();
    if (fault === "hang") return void near.resume();
    const far = track(connect(Number(target.port), target.hostname));
    near.pipe(far);
    if (fault === "pass") far.pipe(near);
    else forwardUntil(far, near);
    near.on("close", () => far.destroy());
    // What the server sent before it closed is still on its way.
    far.on("close", (failed) => {
      if (failed) near.destroy();
      else if (fault !== "stop") near.end();
    });
  });

  function track(socket: Socket): Socket {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
    return socket;
  }

  function forwardUntil(far: Socket, near: Socket): void {
    let left = cutAfter;
    const ending = fault;
    far.on("data", (chunk) => {
      near.write(chunk.subarray(0, left));
      left -= Math.min(left, chunk.length);
      if (left > 0) return;
      far.pause();
      if (ending === "cut") near.end(() => near.destroy());
    });
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}`),
    open: () => sockets.size,
    set(next, options = {}) {
      fault = next;
      cutAfter = options.cutAfter ?? 0;
      for (const socket of sockets) socket.destroy();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
