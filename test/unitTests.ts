/**
 * Finds the unit tests: files that start nothing, neither themselves nor through what they import from `test/`.
 *
 * `bun run check` runs them. They need no server, no database and no second process.
 */
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const transpiler = new Bun.Transpiler({ loader: "ts" });

/** What starts, or connects to, something: a server, another Bun, PostgreSQL, threads. */
const starts = [
  /\bprocess\.execPath\b/,
  /\b(?:Bun\.(?:serve|listen|connect)|createServer|connect|postgres)\(/,
  /\b(?:startEmbeddedPostgres|createWorkers)\(/,
];

/** Paths from the repository's root. */
export async function unitTests(): Promise<string[]> {
  const files = [...new Bun.Glob("test/**/*.test.ts").scanSync(root)].toSorted();
  const started = await Promise.all(files.map((file) => startsSomething(file, new Set())));
  return files.filter((file, index) => !file.startsWith("test/ci/") && !started[index]);
}

async function startsSomething(file: string, visited: Set<string>): Promise<boolean> {
  if (visited.has(file)) return false;
  visited.add(file);
  const text = await Bun.file(join(root, file)).text();
  if (starts.some((pattern) => pattern.test(text))) return true;
  for (const { path } of transpiler.scanImports(text)) {
    const imported = normalize(join(dirname(file), path));
    const isOfTests = path.startsWith(".") && imported.startsWith("test/") && imported.endsWith(".ts");
    if (isOfTests && (await startsSomething(imported, visited))) return true;
  }
  return false;
}
