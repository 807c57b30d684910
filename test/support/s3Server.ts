/**
 * A real S3 server for tests: the one that S3_ENDPOINT, S3_REGION, S3_ACCESS_KEY and S3_SECRET_KEY name,
 * or else s3rver, which runs anywhere that npm packages install and checks signatures like any other.
 */
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "minio";
import type { S3Config } from "../../src/infrastructure/config.ts";
import { s3Storage } from "../../src/infrastructure/storage/s3.ts";

type S3Server = Omit<S3Config, "bucket">;

export interface OpenBucket {
  /** Names a new bucket, which does not exist yet. */
  readonly config: S3Config;
  /** Removes the bucket with its objects, and stops the server if it was started here. */
  readonly close: () => Promise<void>;
}

export async function openBucket(): Promise<OpenBucket> {
  const { server, stop } = named() ?? (await startS3rver());
  const config = { ...server, bucket: `waybill-test-${randomUUID()}` };
  return {
    config,
    async close() {
      await removeBucket(config);
      await stop();
    },
  };
}

function named() {
  const { S3_ENDPOINT, S3_REGION, S3_ACCESS_KEY, S3_SECRET_KEY } = process.env;
  if (!S3_ENDPOINT) return undefined;
  if (!S3_ACCESS_KEY || !S3_SECRET_KEY) throw new Error("S3_ENDPOINT needs S3_ACCESS_KEY and S3_SECRET_KEY");
  const server: S3Server = {
    endpoint: new URL(S3_ENDPOINT),
    region: S3_REGION || "us-east-1",
    accessKey: S3_ACCESS_KEY,
    secretKey: S3_SECRET_KEY,
  };
  return { server, stop: async () => undefined };
}

async function startS3rver() {
  const directory = await mkdtemp(join(tmpdir(), "waybill-s3-"));
  const options = JSON.stringify({
    directory,
    address: "127.0.0.1",
    port: 0,
    silent: true,
    vhostBuckets: false,
  });
  // s3rver expects sorted folders, as Node returns them. It must end with the test process, even if that is killed.
  const program = `
    const fs = require("node:fs");
    const { readdirSync } = fs;
    fs.readdirSync = (path) => readdirSync(path).sort();
    const S3rver = require("@20minutes/s3rver");
    process.stdin.on("end", () => process.exit()).resume();
    new S3rver(${options}).run().then(({ port }) => console.log(port));`;
  const child = Bun.spawn([process.execPath, "-e", program], { stdio: ["pipe", "pipe", "inherit"] });
  async function stop(): Promise<void> {
    child.kill();
    await child.exited;
    await rm(directory, { recursive: true, force: true });
  }
  const port = await firstLine(child.stdout);
  if (port === "") {
    await stop();
    throw new Error("s3rver did not start");
  }
  const server: S3Server = {
    endpoint: new URL(`http://127.0.0.1:${port}`),
    region: "us-east-1",
    accessKey: "S3RVER",
    secretKey: "S3RVER",
  };
  return { server, stop };
}

async function firstLine(output: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of output) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes("\n")) break;
  }
  return text.split("\n")[0] ?? "";
}

async function removeBucket(config: S3Config): Promise<void> {
  const { endpoint, bucket, region, accessKey, secretKey } = config;
  const useSSL = endpoint.protocol === "https:";
  const port = Number(endpoint.port);
  const client = new Client({ endPoint: endpoint.hostname, port, useSSL, region, accessKey, secretKey });
  if (!(await client.bucketExists(bucket))) return;
  const storage = s3Storage(config);
  for await (const { key } of storage.list("")) await storage.remove(key);
  await client.removeBucket(bucket);
}
