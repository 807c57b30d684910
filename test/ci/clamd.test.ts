/**
 * Against a real ClamAV daemon, which `.ci/clamd` starts: `CLAMD_ADDRESS` is its host:port, `CLAMD_SOCKET` its Unix
 * socket. It knows one signature, EICAR's test file, and takes streams of up to 1 MB.
 */
import { afterAll, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scanWithClamd } from "../../src/infrastructure/clamd.ts";

const [host = "", port = ""] = (process.env.CLAMD_ADDRESS ?? "").split(":");
const clamd = { host, port: Number(port) };
const folder = await mkdtemp(join(tmpdir(), "clamd-"));
afterAll(() => rm(folder, { recursive: true }));

async function file(content: string | Buffer): Promise<string> {
  const path = join(folder, crypto.randomUUID());
  await writeFile(path, content);
  return path;
}

// In pieces, so that a scanner on a developer's machine does not take this file for an infected one.
const eicar = ["X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR", "STANDARD", "ANTIVIRUS", "TEST", "FILE!$H+H*"].join("-");
const timeoutMs = 20_000;

test("a harmless file and an empty one are not infected", async () => {
  expect(await scanWithClamd(clamd, await file("harmless"), { timeoutMs })).toEqual({ infected: false });
  expect(await scanWithClamd(clamd, await file(""), { timeoutMs })).toEqual({ infected: false });
  expect(await scanWithClamd(clamd, await file(Buffer.alloc(900_000)), { timeoutMs })).toEqual({
    infected: false,
  });
});

test("EICAR's test file is infected, and the signature is named", async () => {
  const scanned = await scanWithClamd(clamd, await file(eicar), { timeoutMs });
  expect(scanned).toEqual({ infected: true, signature: expect.stringContaining("Eicar-Test-Signature") });
});

test("the daemon is reached through its Unix socket too", async () => {
  const socket = process.env.CLAMD_SOCKET ?? "";
  const scanned = await scanWithClamd({ socket }, await file(eicar), { timeoutMs });
  expect(scanned.infected).toBe(true);
});

test("sixteen scans at once are answered each", async () => {
  const paths = await Promise.all(
    Array.from({ length: 16 }, (_, index) => file(index % 2 ? eicar : "harmless")),
  );
  const scans = await Promise.all(paths.map((path) => scanWithClamd(clamd, path, { timeoutMs })));
  expect(scans.map(({ infected }) => infected)).toEqual(paths.map((_, index) => index % 2 === 1));
});

test("a file over the daemon's size limit is an error, not a verdict", async () => {
  const large = await file(Buffer.alloc(30_000_000, "a"));
  await expect(scanWithClamd(clamd, large, { timeoutMs })).rejects.toThrow();
});

test("a daemon that is away, or a file that is, is an error", async () => {
  await expect(
    scanWithClamd({ host: "127.0.0.1", port: 1 }, await file("a"), { timeoutMs }),
  ).rejects.toThrow();
  await expect(
    scanWithClamd({ socket: join(folder, "none") }, await file("a"), { timeoutMs }),
  ).rejects.toThrow();
  await expect(scanWithClamd(clamd, join(folder, "none"), { timeoutMs })).rejects.toThrow("ENOENT");
});

test("a daemon that accepts and never answers is an error in time", async () => {
  const silent = createServer((socket) => socket.pause().on("error", () => {})).listen(0, "127.0.0.1");
  await new Promise((resolve) => silent.once("listening", resolve));
  const { port: silentPort } = silent.address() as { port: number };
  const started = performance.now();
  const scan = scanWithClamd({ host: "127.0.0.1", port: silentPort }, await file(Buffer.alloc(20_000_000)), {
    timeoutMs: 300,
  });
  await expect(scan).rejects.toThrow("no answer in 300 ms");
  expect(performance.now() - started).toBeLessThan(3_000);
  silent.close();
});

test("a daemon that hangs up without a word is an error", async () => {
  const curt = createServer((socket) => socket.end()).listen(0, "127.0.0.1");
  await new Promise((resolve) => curt.once("listening", resolve));
  const { port: curtPort } = curt.address() as { port: number };
  const scan = scanWithClamd({ host: "127.0.0.1", port: curtPort }, await file("a"), { timeoutMs });
  await expect(scan).rejects.toThrow();
  curt.close();
});
