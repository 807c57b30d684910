/** Receivers of other runtimes and languages under the conformance kit: the packed SDK in Node, the README's samples. */
import { afterAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const app = process.env.SDK_APP ?? "";
const readme = await Bun.file(new URL("../../sdk/README.md", import.meta.url)).text();
const folder = await mkdtemp(join(tmpdir(), "receivers-"));
afterAll(() => rm(folder, { recursive: true }));

/** The README's first block in this language, as a file. */
async function sample(language: string): Promise<string> {
  const path = join(folder, language);
  await Bun.write(path, new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "ms").exec(readme)?.[1] ?? "");
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
