/** The documents name commands, paths, variables and links. Each of them exists. */
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import manifest from "../package.json";
import { operations } from "../src/generated/operations.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const read = (path: string) => Bun.file(join(root, path)).text();
const scan = (pattern: string) =>
  [...new Bun.Glob(pattern).scanSync({ cwd: root, dot: true })].filter(
    (path) => !/(^|\/)(node_modules|\.git|\.data|\.tmp)\//.test(path),
  );

interface Document {
  /** From the repository's root. */
  readonly path: string;
  readonly text: string;
  /** Without fenced blocks. */
  readonly prose: string;
  /** The texts between single backticks. */
  readonly code: readonly string[];
}

async function documentOf(path: string): Promise<Document> {
  const text = await read(path);
  const prose = text.replaceAll(/^```.*?^```$/gms, "");
  return { path, text, prose, code: [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code) };
}

const documents = await Promise.all([...scan("*.md"), ...scan("docs/**/*.md")].map(documentOf));
const guides = await Promise.all(["sdk/README.md", "bench/README.md"].map(documentOf));
const documentAt = (path: string) => documents.find((document) => document.path === path) as Document;

/** What a document says that does not hold, as `path: what`. */
const wrong = (
  among: readonly Document[],
  find: (document: Document) => Iterable<string>,
): readonly string[] =>
  among.flatMap((document) => [...find(document)].map((what) => `${document.path}: ${what}`));

test("the documents that a newcomer looks for are there", () => {
  const paths = documents.map(({ path }) => path);
  for (const path of ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "docs/architecture.md"])
    expect(paths).toContain(path);
  expect(paths.filter((path) => path.startsWith("docs/decisions/")).length).toBeGreaterThan(5);
});

test("README has at most 150 lines", () => {
  expect(documentAt("README.md").text.trimEnd().split("\n").length).toBeLessThanOrEqual(150);
});

test("every bun run command exists", () => {
  const missing = wrong(documents, function* ({ text }) {
    // Flags may come before the script: `bun run --silent token`.
    for (const [, name = ""] of text.matchAll(/\bbun(?:@[\d.]+)? run (?:--\S+ )*([\w-]+)/g))
      if (!Object.hasOwn(manifest.scripts, name)) yield `bun run ${name}`;
  });
  expect(missing).toEqual([]);
});

const topLevel = new Set(
  scan("*").concat([...new Bun.Glob("*").scanSync({ cwd: root, dot: true, onlyFiles: false })]),
);

/** `src/<tag>/room.ts` and `NNNN_name.sql` mean any file of that kind. */
const asPattern = (path: string) => path.replaceAll(/<[^>]+>/g, "*").replace("NNNN_name", "*");

test("every path of the repository exists", () => {
  const missing = wrong(documents, function* ({ code }) {
    for (const text of code) {
      const [path = ""] = /^[\w.<>@/-]+$/.exec(text) ?? [];
      const [first = ""] = path.split("/");
      if (path.includes("/") ? !topLevel.has(first) : !/^[\w-]+\.(ts|json|md|yaml|toml)$/.test(path))
        continue;
      const pattern = asPattern(path.replace(/\/$/, ""));
      // A bare name, such as `queries.ts`, is the name of some file.
      const where =
        path.includes("/") || topLevel.has(path) ? pattern : `{src,test,sdk,openapi,bench}/**/${pattern}`;
      if (!existsSync(join(root, pattern)) && scan(where).length === 0) yield path;
    }
  });
  expect(missing).toEqual([]);
});

/** GitHub's anchors: lower case, no punctuation, hyphens for blanks. */
function anchorsOf({ prose }: Document): ReadonlySet<string> {
  const headings = [...prose.matchAll(/^#+ +(.+)$/gm)].map(([, heading = ""]) => heading);
  const slugs = headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-"),
  );
  return new Set(slugs);
}

test("every link leads to a file and a heading that exist", async () => {
  const all = [...documents, ...guides];
  const targets = new Map(all.map((document) => [document.path, anchorsOf(document)]));
  const broken = wrong(all, function* ({ path, prose }) {
    for (const [, link = ""] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https:\/\/[\w.-]+(\/|$)/.test(link)) continue;
      const [file = "", anchor] = link.split("#");
      const target = file === "" ? path : normalize(join(dirname(path), file));
      if (!existsSync(join(root, target))) yield link;
      else if (anchor !== undefined && !targets.get(target)?.has(anchor)) yield link;
    }
  });
  expect(broken).toEqual([]);
});

test("every document is reached from README", () => {
  const reached = new Set<string>();
  const visit = (path: string) => {
    const document = documents.find((candidate) => candidate.path === path);
    if (!document || reached.has(path)) return;
    reached.add(path);
    for (const [, link = ""] of document.prose.matchAll(/\]\(([^)\s#]+)/g))
      visit(normalize(join(dirname(path), link)));
  };
  visit("README.md");
  expect(documents.map(({ path }) => path).filter((path) => !reached.has(path))).toEqual([]);
});

test("every request of the API exists", () => {
  const known = Object.values(operations).map(({ method, path }) => ({
    method: method as string,
    pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
  }));
  const missing = wrong(documents, function* ({ code }) {
    for (const text of code) {
      const [, method, path = ""] =
        /^(?:([A-Z]+) )?(\/(?:api\/v1|healthz|readyz|embed)\b[^\s?]*)/.exec(text) ?? [];
      // These are prefixes, not requests.
      if (path === "" || path === "/api/v1/" || path === "/api/v1/report") continue;
      const found = known.some(
        (operation) => operation.pattern.test(path) && (method === undefined || operation.method === method),
      );
      if (!found) yield text;
    }
  });
  expect(missing).toEqual([]);
});

/** The variables that the configuration reads. */
async function configurationVariables(): Promise<ReadonlySet<string>> {
  const source = await read("src/infrastructure/config.ts");
  const names = [
    ...source.matchAll(/\benv\.([A-Z][A-Z0-9_]+)|"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|PORT|HOST|OPENAPI)"/g),
  ];
  return new Set(names.map(([, member, quoted]) => member ?? quoted ?? ""));
}

test("docs/operations.md has every configuration variable, and no other", async () => {
  const [, configuration = ""] =
    /\n## Configuration\n(.*?)\n## /s.exec(documentAt("docs/operations.md").text) ?? [];
  const rows = [...configuration.matchAll(/^\| `([A-Z0-9_]+)` \|/gm)].map(([, name = ""]) => name);
  expect(rows.toSorted()).toEqual([...(await configurationVariables())].toSorted());
});

/** What the server, the contract and the examples say, to look names up in. */
const sources = await Promise.all([
  ...["src", "openapi", "examples", "sdk/src", "bench", "test/ci/faults"].flatMap((folder) =>
    scan(`${folder}/**/*.{ts,yaml,sql,bpmn}`).map(read),
  ),
  ...["compose.yaml", "package.json"].map(read),
]);

test("every variable and every name in snake_case is known to the code", () => {
  const words = new Set(sources.join("\n").match(/[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+/g));
  const unknown = wrong(documents, function* ({ code }) {
    for (const text of code) {
      const [, name = ""] = /^([A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+)(?:=\S*)?$/.exec(text) ?? [];
      if (name !== "" && !words.has(name)) yield name;
    }
  });
  expect(unknown).toEqual([]);
});

test("the data model has every table of the schema waybill, and no other", async () => {
  const migrations = await Promise.all(scan("src/infrastructure/database/migrations/*.sql").map(read));
  const created = [...migrations.join("\n").matchAll(/^create (?:unlogged )?table waybill\.(\w+)/gm)];
  const tables = [...created.map(([, name = ""]) => name), "schema_migrations", "migrations"];
  const [, model = ""] =
    /\n## Data model\n(.*?)\n\| schema /s.exec(documentAt("docs/architecture.md").text) ?? [];
  const rows = [...model.matchAll(/^\| `(\w+)` \|/gm)].map(([, name = ""]) => name);
  expect(rows.toSorted()).toEqual(tables.toSorted());
});

test("the newest version of the changelog is that of package.json and of the contract", async () => {
  const [, newest] = /^## \[(\d+\.\d+\.\d+)\]/m.exec(documentAt("CHANGELOG.md").text) ?? [];
  expect(newest).toBe(manifest.version);
  expect(await read("openapi/openapi.yaml")).toContain(`\n  version: ${newest}\n`);
});
