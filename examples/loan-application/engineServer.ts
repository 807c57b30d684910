/** A Waybill server for one run of the example, with processes in an engine of the Camunda 7 family. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface EngineServer {
  /** Without a slash at the end. */
  readonly url: string;
  /** Sign its tokens with the secret in here. */
  readonly dataDir: string;
  stop(): Promise<void>;
}

export interface EngineServerOptions {
  /** The engine's REST interface. */
  readonly engine: string;
  /** Where the receiver of the example listens. */
  readonly receiverPort: number;
}

const program = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

/** Starts it in a fresh folder, with an embedded database. Throws with its last lines if it does not start. */
export async function startEngineServer({
  engine,
  receiverPort,
}: EngineServerOptions): Promise<EngineServer> {
  const dataDir = await mkdtemp(join(tmpdir(), "waybill-example-"));
  const port = freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = Bun.spawn([process.execPath, program], {
    env: {
      ...process.env,
      DATA_DIR: dataDir,
      PORT: String(port),
      // The receiver opens the signed URLs at this address.
      PUBLIC_BASE_URL: url,
      ENGINE_URL: engine,
      OUTBOUND_ALLOW: `127.0.0.1:${receiverPort}`,
      SHUTDOWN_GRACE_SECONDS: "0",
    },
    stdout: "ignore",
    stderr: "pipe",
  });
  const stop = async () => {
    child.kill("SIGTERM");
    await child.exited;
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    await listening(child.stderr);
    return { url, dataDir, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function freePort(): number {
  const server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  server.stop(true);
  return server.port;
}

/** Resolves once the server logs that it listens. Goes on reading then, so that the server can go on logging. */
async function listening(log: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> {
  const reader = log.getReader();
  const decoder = new TextDecoder();
  let text = "";
  while (!/"address":"http/.test(text)) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`Waybill did not start:\n${text.trim().split("\n").slice(-5).join("\n")}`);
    text += decoder.decode(value, { stream: true });
  }
  void (async () => {
    while (!(await reader.read()).done);
  })();
}
