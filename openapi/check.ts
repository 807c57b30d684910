/**
 * `bun run check`: everything that can be checked without a server. Prints one line per step, the output of a failed
 * step below its line, and the counts at the end. Exits with 1 if a step failed.
 */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Validator } from "@seriousme/openapi-schema-validator";
import { unitTests } from "../test/unitTests.ts";
import { generateSdk, sdkFolder } from "./generate/sdk.ts";
import { generateServer } from "./generate.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Passes if it returns, fails if it throws. A returned sentence says why the step was skipped. */
type Step = () => Promise<string | undefined>;

const steps: Readonly<Record<string, Step>> = {
  "contract follows the rules (redocly)": command("redocly", "lint", "openapi/openapi.yaml"),
  "contract is OpenAPI 3.1": checkDocument,
  "server code is up to date": compareServer,
  "SDK is up to date": compareSdk,
  "format and lint (biome)": command("biome", "check"),
  "types (tsc)": command("tsc", "--noEmit", "--project", "."),
  "unit tests": command("bun", "test", "--timeout=60000", ...(await unitTests()).map((path) => `./${path}`)),
};

function command(...args: string[]): Step {
  return async () => {
    const child = Bun.spawn(["bun", ...(args[0] === "bun" ? args.slice(1) : ["x", "--bun", ...args])], {
      cwd: root,
      stdout: "pipe",
      stderr: "pipe",
    });
    const [out, err] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    if ((await child.exited) !== 0) throw new Error(`${out}${err}`);
    return undefined;
  };
}

async function checkDocument(): Promise<undefined> {
  const { valid, errors } = await new Validator().validate((await generateServer())["openapi.json"] ?? "");
  if (!valid) throw new Error(JSON.stringify(errors, null, 2));
}

async function compareServer(): Promise<undefined> {
  requireSame(await readFolder(`${root}src/generated`), new Map(Object.entries(await generateServer())));
}

async function compareSdk(): Promise<string | undefined> {
  if (!Bun.which("java")) return "Java is not installed. .ci/run runs this step.";
  const folder = await mkdtemp(join(tmpdir(), "waybill-sdk-"));
  try {
    await generateSdk(root, folder);
    requireSame(await readFolder(`${root}${sdkFolder}`), await readFolder(folder));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return undefined;
}

/** All files below a folder, from path to text. */
async function readFolder(folder: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = paths.map(
    async (path) => [path.slice(folder.length + 1), await Bun.file(path).text()] as const,
  );
  return new Map(await Promise.all(texts));
}

function requireSame(committed: ReadonlyMap<string, string>, generated: ReadonlyMap<string, string>): void {
  const names = new Set([...committed.keys(), ...generated.keys()]);
  const differing = [...names].filter((name) => committed.get(name) !== generated.get(name)).sort();
  if (differing.length === 0) return;
  const list = differing.map((name) => `  ${name}`).join("\n");
  throw new Error(`Run \`bun run generate\` and commit the result. These files differ:\n${list}`);
}

let [passed, failed] = [0, 0];
for (const [name, step] of Object.entries(steps)) {
  try {
    const whySkipped = await step();
    if (whySkipped === undefined) passed++;
    console.log(whySkipped === undefined ? `ok       ${name}` : `skipped  ${name}: ${whySkipped}`);
  } catch (error) {
    failed++;
    console.log(`FAILED   ${name}\n${(error as Error).message.trimEnd()}`);
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
