/**
 * `bun run generate`: the only writer of `src/generated/` and `sdk/src/generated/`. Deterministic.
 *
 * This process generates the server's part. @openapitools/openapi-generator-cli generates the SDK and needs Java;
 * `--server` skips the SDK.
 */
import { mkdir, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { readContract } from "./generate/document.ts";
import { generateSdk } from "./generate/sdk.ts";
import { operationsSource, schemasSource } from "./generate/server.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Extensions of the contract that say how the server works inside. The served document leaves them out. */
const internalExtensions = new Set(["x-merges-faults"]);

/** The files of `src/generated/`, from name to text. */
export async function generateServer(): Promise<Record<string, string>> {
  const document = await readContract(`${root}openapi/openapi.yaml`);
  return {
    "openapi.json": `${JSON.stringify(document, withoutInternals, 2)}\n`,
    "schemas.ts": schemasSource(document),
    "operations.ts": operationsSource(document),
  };
}

const withoutInternals = (name: string, value: unknown) => (internalExtensions.has(name) ? undefined : value);

if (import.meta.main) {
  const folder = `${root}src/generated`;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(await generateServer()))
    await Bun.write(`${folder}/${name}`, text);
  if (!process.argv.includes("--server")) await generateSdk(root);
}
