/**
 * The page's script and style sheet, bundled from `web/start-form/` on the first request (about 70 ms) and then cached.
 * So a fresh clone needs no build step, and the page always matches the source.
 */
import { fileURLToPath } from "node:url";

export interface Asset {
  readonly type: string;
  readonly text: string;
  /** The compressed text, a third of the size: phones have slow connections. */
  readonly gzip: Blob;
}

export interface PageAssets {
  readonly names: { readonly script: string; readonly style: string };
  readonly files: ReadonlyMap<string, Asset>;
}

const entry = fileURLToPath(new URL("../../../web/start-form/main.ts", import.meta.url));
let bundled: Promise<PageAssets> | undefined;

export function pageAssets(): Promise<PageAssets> {
  // A failed attempt is not cached.
  bundled ??= bundle().catch((error) => {
    bundled = undefined;
    throw error;
  });
  return bundled;
}

async function bundle(): Promise<PageAssets> {
  const { outputs } = await Bun.build({
    entrypoints: [entry],
    target: "browser",
    minify: true,
    naming: { entry: "start-form.[hash].[ext]", asset: "start-form.[hash].[ext]" },
  });
  const files = new Map<string, Asset>();
  for (const output of outputs) {
    const text = await output.text();
    const gzip = new Blob([Bun.gzipSync(text)]);
    files.set(output.path.replace(/^\.\//, ""), { type: typeOf(output.path), text, gzip });
  }
  return { names: { script: named(files, ".js"), style: named(files, ".css") }, files };
}

const typeOf = (path: string) =>
  path.endsWith(".css") ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8";

function named(files: ReadonlyMap<string, Asset>, ending: string): string {
  const name = [...files.keys()].find((candidate) => candidate.endsWith(ending));
  if (name === undefined)
    throw new Error(`The bundle of the start form has no file that ends with ${ending}.`);
  return name;
}
