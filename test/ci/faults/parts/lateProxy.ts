/** A proxy to the storage that can delay uploads. They arrive complete, long after Waybill abandoned them. */
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface LateProxy {
  readonly port: number;
  /** Delays each PUT from now on by so many milliseconds. Everything else passes immediately. */
  delayPuts(ms: number): void;
  /** How many PUTs are delayed now. */
  readonly delayed: () => number;
  stop(): void;
}

export async function startLateProxy(target: number): Promise<LateProxy> {
  const sockets = new Set<Socket>();
  let delayMs = 0;
  let delayed = 0;

  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = keep(connect({ port: target, host: "127.0.0.1", allowHalfOpen: true }));
    keep(near);
    let held: Promise<void> | undefined;
    // Keeps the order: everything after a delayed piece waits for it.
    const later = (work: () => void) => {
      if (held) held = held.then(work);
      else work();
    };
    near.on("data", (chunk: Buffer) => {
      if (delayMs > 0 && chunk.toString("latin1", 0, 4) === "PUT ") held = delay(held, delayMs);
      later(() => void far.write(chunk));
    });
    near.on("close", () => later(() => far.end()));
    far.on("data", (chunk: Buffer) => void near.write(chunk));
    far.on("close", () => near.destroy());
  });

  async function delay(before: Promise<void> | undefined, ms: number): Promise<void> {
    delayed++;
    await before;
    await Bun.sleep(ms);
    delayed--;
  }

  function keep(socket: Socket): Socket {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    return socket;
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    delayPuts: (ms) => {
      delayMs = ms;
    },
    delayed: () => delayed,
    stop: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
