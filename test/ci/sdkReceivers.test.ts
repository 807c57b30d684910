/** Receivers of other runtimes and languages under the conformance kit: the packed SDK in Node, the README's samples. */
import { afterAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const app = process.env.SDK_APP ?? "";
const readme = await Bun.file(new URL("../../sdk/README.md", import.meta.url)).text();
const folder = await mkdtemp(join(tmpdir(), "receivers-"));
afterAll(() => rm(folder, { recursive: true }));

const [, receivers = ""] = /^### Without TypeScript$(.*?)^### /ms.exec(readme) ?? [];

/** The README's receiver in this language, as a file. */
async function sample(language: string, name = language): Promise<string> {
  const [, text] = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "ms").exec(receivers) ?? [];
  if (text === undefined) throw new Error(`the README has no receiver in ${language}`);
  const path = join(folder, name);
  await Bun.write(path, text);
  return path;
}

async function kit(...command: string[]): Promise<string | undefined> {
  const run = Bun.spawn(["bun", "run", "--silent", "receiver-kit", ...command], {
    stdout: "pipe",
    stderr: "ignore",
  });
  return (await new Response(run.stdout).text()).trim().split("\n").at(-1);
}

test("the packed SDK in Node passes the kit, and streams to disk", async () => {
  const script = join(app, "receive.mjs");
  await Bun.write(
    script,
    `import { readFileSync, rmSync } from "node:fs";
     import { receiveFileTo } from "@waybill/sdk/disk";
     const path = "${folder}/" + crypto.randomUUID();
     await receiveFileTo(readFileSync(0, "utf8"), path);
     process.stdout.write(readFileSync(path));
     rmSync(path);`,
  );
  expect(await kit("node", script)).toEndWith(" passed, 0 failed");
}, 60_000);

test("the README's shell receiver passes the kit", async () => {
  expect(await kit("bash", await sample("sh"))).toEndWith(" passed, 0 failed");
}, 60_000);

test("the README's Python receiver passes the kit", async () => {
  expect(await kit("python3", await sample("python"))).toEndWith(" passed, 0 failed");
}, 60_000);

test("the README's Java receiver passes the kit", async () => {
  const source = await sample("java", "Receive.java");
  expect(await Bun.spawn(["javac", source]).exited).toBe(0);
  expect(await kit("java", "-cp", folder, "Receive")).toEndWith(" passed, 0 failed");
}, 60_000);
