/**
 * Runs the requests of the README and the modeler's guide as printed, and compares the answers with the printed ones.
 */
import { expect, test } from "bun:test";
import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { inFolder, repository } from "../support/waybillProcess.ts";

interface Example {
  /** Shell commands. */
  readonly commands: string;
  /** One JSON text a line. Empty if the document prints no answer. */
  readonly answers: readonly string[];
}

/** The fenced blocks with requests, each with the answers of the next block. */
function examplesOf(markdown: string): Example[] {
  const blocks = [...markdown.matchAll(/^```(\w*)\n(.*?)^```$/gms)];
  return blocks.flatMap(([, language, commands = ""], index) => {
    if (language !== "sh" || !commands.includes("curl ")) return [];
    const [, next, answers = ""] = blocks[index + 1] ?? [];
    return [{ commands, answers: next === "json" ? answers.trim().split("\n") : [] }];
  });
}

const mark = "--- next example ---";

/** Runs the examples in one shell session, as a reader does. Returns the lines of each example's output. */
async function run(examples: readonly Example[], { folder, url }: { folder: string; url: string }) {
  const bin = join(folder, "bin");
  await mkdir(bin, { recursive: true });
  // `npx -y bun@1.4.5 …` is the Bun that runs the tests.
  await Bun.write(join(bin, "npx"), `#!/bin/sh\nshift 2\nexec "${process.execPath}" "$@"\n`);
  await chmod(join(bin, "npx"), 0o755);
  const session = examples.map(({ commands }) => commands).join(`\necho "${mark}"\n`);
  const here = session.replaceAll("http://127.0.0.1:3000", url).replaceAll("/tmp/", `${folder}/`);
  // Each answer goes to a separate line.
  const script = `set -euo pipefail\ncurl() { command curl --silent --show-error "$@"; echo; }\n${here}`;
  const child = Bun.spawn(["bash", "-c", script], {
    cwd: repository,
    env: { PATH: `${bin}:${process.env.PATH}`, HOME: folder, DATA_DIR: join(folder, ".data") },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect({ code: await child.exited, errors }).toEqual({ code: 0, errors: "" });
  return output.split(mark).map((text) => text.split("\n").filter((line) => line.trim() !== ""));
}

/** An answer without ids and times, which differ from run to run. */
const steady = (json: string): unknown =>
  JSON.parse(json, (_key, value) =>
    typeof value === "string"
      ? value
          .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<id>")
          .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
      : value,
  );

test("the requests of the README and the modeler's guide work and give the printed answers", async () => {
  await inFolder(async (folder, start) => {
    const port = String(20_000 + Math.floor(Math.random() * 10_000));
    const url = `http://127.0.0.1:${port}`;
    await start({ environment: { PORT: port, PUBLIC_BASE_URL: url } }).listening;
    for (const path of ["README.md", "docs/service-tasks.md"]) {
      const examples = examplesOf(await Bun.file(join(repository, path)).text());
      expect(examples.length).toBeGreaterThan(2);
      const outputs = await run(examples, { folder, url });
      for (const [index, { answers }] of examples.entries())
        expect(outputs[index]?.map(steady)).toEqual(answers.map(steady));
    }
    const sent = join(repository, "test/fixtures/content/libreoffice.docx");
    const received = Bun.file(join(folder, "contract.docx"));
    expect(await received.bytes()).toEqual(await Bun.file(sent).bytes());
  });
}, 60_000);
