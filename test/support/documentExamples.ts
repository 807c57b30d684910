/** The requests that a document prints, and their answers. A test runs them as a reader does. */
import { expect } from "bun:test";
import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { repository } from "./waybillProcess.ts";

export interface Example {
  /** Shell commands. */
  readonly commands: string;
  /** One JSON text a line. Empty if the document prints no answer. */
  readonly answers: readonly string[];
}

/** The fenced blocks with requests, each with the answers of the next block. */
export function examplesOf(markdown: string): Example[] {
  const blocks = [...markdown.matchAll(/^```(\w*)\n(.*?)^```$/gms)];
  return blocks.flatMap(([, language, commands = ""], index) => {
    if (language !== "sh" || !commands.includes("curl ")) return [];
    const [, next, answers = ""] = blocks[index + 1] ?? [];
    return [{ commands, answers: next === "json" ? answers.trim().split("\n") : [] }];
  });
}

const mark = "--- next example ---";

export interface ReaderOptions {
  /** Takes the place of `/tmp`, and has the server's data in `.data`. */
  readonly folder: string;
  /** Of the server, instead of port 3000. */
  readonly url: string;
  /** What else a reader writes instead of what is printed. */
  readonly written?: (commands: string) => string;
}

/** Runs the examples in one shell session, as a reader does. Returns the lines of each example's output. */
export async function runExamples(
  examples: readonly Example[],
  { folder, url, written = (commands) => commands }: ReaderOptions,
): Promise<string[][]> {
  const bin = join(folder, "bin");
  await mkdir(bin, { recursive: true });
  // `npx -y bun@1.4.5 …` is the Bun that runs the tests.
  await Bun.write(join(bin, "npx"), `#!/bin/sh\nshift 2\nexec "${process.execPath}" "$@"\n`);
  await chmod(join(bin, "npx"), 0o755);
  const session = examples.map(({ commands }) => commands).join(`\necho "${mark}"\n`);
  const here = written(session).replaceAll("http://127.0.0.1:3000", url).replaceAll("/tmp/", `${folder}/`);
  // Each answer goes to a separate line. What the reader started in the background ends with the session.
  const script = [
    "set -euo pipefail",
    "trap 'kill $(jobs -p) 2> /dev/null || true' EXIT",
    'curl() { command curl --silent --show-error "$@"; echo; }',
    here,
  ].join("\n");
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
export const steady = (json: string): unknown =>
  JSON.parse(json, (_key, value) =>
    typeof value === "string"
      ? value
          .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<id>")
          .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
      : value,
  );
