/**
 * The packed SDK in `SDK_APP`, an otherwise empty folder (`.ci/sdk` makes it): the same script uploads, finalizes and
 * receives in Node, in Bun and in Chromium. Waybill sends no CORS headers, so the page comes from the server's own
 * origin, by a small reverse proxy.
 */
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { startServer } from "../support/server.ts";

const app = process.env.SDK_APP ?? "";
const dist = join(app, "node_modules/@waybill/sdk/dist");
const server = await startServer();
const token = await server.token();
const engineToken = await server.token({ roles: ["engine"] });
const bytes = await Bun.file(new URL("../fixtures/content/cairo.pdf", import.meta.url)).bytes();

/**
 * What every runtime does, once with a `fetch` of the caller's. `size` and `code` come back: the received file's bytes,
 * and why a second use is refused.
 */
const story = `
import { createClient, createUploader, receiveFile } from "@waybill/sdk";
export async function run({ baseUrl, token, engineToken, base64 }) {
  const uploader = createUploader({ baseUrl, token, tenant: "tenant-1", processKey: "loan" });
  const file = new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], "contract.pdf", { type: "application/pdf" });
  let progress = 0;
  const { attachment_id } = await uploader.upload(file, { fieldName: "contract", onProgress: (part) => { progress = part; } });
  await uploader.finalize([attachment_id], { processInstanceId: "4711" });
  let calls = 0;
  const ownFetch = (...request) => (calls++, fetch(...request));
  const withOwnFetch = createUploader({ baseUrl, token, tenant: "tenant-1", processKey: "loan", fetch: ownFetch });
  const ownProgress = [];
  const draft = await withOwnFetch.upload(file, { fieldName: "contract", onProgress: (part) => ownProgress.push(part) });
  await withOwnFetch.remove(draft.attachment_id);
  const own = { calls, size: draft.size, progress: ownProgress.at(-1) };
  const { engine } = createClient({ baseUrl, token: engineToken });
  const { urls } = await engine.issueDownloadUrls({
    downloadUrlRequest: { tenant_id: 1, process_instance_id: "4711", attachment_ids: [attachment_id] },
  });
  const { pathname, search } = new URL(urls[0].url);
  const received = await receiveFile(baseUrl + pathname + search);
  const code = await receiveFile(baseUrl + pathname + search).catch((error) => error.code);
  return { name: received.name, size: received.size, progress, own, code };
}`;
const proxy = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: (request) => {
    const { pathname, search } = new URL(request.url);
    if (pathname === "/") return new Response(page, { headers: { "Content-Type": "text/html" } });
    if (pathname === "/story.js")
      return new Response(story, { headers: { "Content-Type": "text/javascript" } });
    if (pathname.startsWith("/sdk/")) return new Response(Bun.file(join(dist, pathname.slice(5))));
    return fetch(server.url + pathname + search, new Request(request, { redirect: "manual" }));
  },
});
const page = `<!doctype html><script type="importmap">{"imports":{"@waybill/sdk":"/sdk/index.js"}}</script>`;
const input = { baseUrl: server.url, token, engineToken, base64: Buffer.from(bytes).toString("base64") };
const outcome = {
  name: "contract.pdf",
  size: bytes.length,
  progress: 1,
  own: { calls: 3, size: bytes.length, progress: 1 },
  code: "used_or_expired",
};

afterAll(async () => {
  await proxy.stop(true);
  await server.stop();
});

async function runWith(runtime: string): Promise<unknown> {
  await Bun.write(join(app, "story.mjs"), story);
  await Bun.write(
    join(app, "main.mjs"),
    `import { run } from "./story.mjs"; console.log(JSON.stringify(await run(${JSON.stringify(input)})));`,
  );
  const child = Bun.spawn([runtime, "main.mjs"], { cwd: app, stdout: "pipe", stderr: "inherit" });
  return JSON.parse(await new Response(child.stdout).text());
}

test("a Node script uploads, finalizes and receives", async () => {
  expect(await runWith("node")).toEqual(outcome);
}, 30_000);

test("a Bun script does too", async () => {
  expect(await runWith("bun")).toEqual(outcome);
}, 30_000);

test("a page in Chromium does too", async () => {
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
  try {
    const tab = await browser.newPage();
    await tab.goto(proxy.url.href);
    const inPage = { ...input, baseUrl: proxy.url.origin };
    const run = `import("/story.js").then(({ run }) => run(${JSON.stringify(inPage)}))`;
    expect(await tab.evaluate(run)).toEqual(outcome);
  } finally {
    await browser.close();
  }
}, 60_000);

/** What stands around the README's samples. */
const surroundings = `
import type { AttachmentMetadata, ClientOptions, LoginUploaderOptions, PublicUploaderOptions, ReceiveOptions } from "@waybill/sdk";
import { readAttachmentVariable, resolveFileValue, type TablesApi, type UploadOptions, type WithTenant } from "@waybill/sdk";
declare const body: Record<"contract" | "identityCard", string>, row: { value: string }, value: unknown;
declare const token: string, formToken: string, id: string, freshEngineToken: () => Promise<string>;
declare const input: HTMLInputElement, bar: HTMLProgressElement, message: HTMLElement, controller: AbortController;
declare const earlier: AttachmentMetadata | undefined, tables: WithTenant<TablesApi>;
export const asVisitor: PublicUploaderOptions = { baseUrl: "", formToken, fetch: undefined };
export const withLogin: LoginUploaderOptions = { baseUrl: "", token, tenant: "", processKey: "", fetch: undefined };
export const upload: Required<UploadOptions> = {
  fieldName: "", processInstanceId: undefined, taskId: undefined, replaces: undefined, signal: undefined, onProgress: undefined,
};
export const receive: Required<ReceiveOptions> = { maxBytes: undefined, signal: undefined, fetch: undefined, fileName: undefined };
export const client: Required<ClientOptions> = {
  baseUrl: "", token: undefined, formToken: undefined, tenant: { id: undefined, slug: undefined }, fetch: undefined,
};
export const finalized = () => createUploader(asVisitor).finalize([], { processInstanceId: undefined, taskId: undefined });
void tables.listRows({ table: "borrowers" });
`;

test("the README's TypeScript compiles under the strictest options, and the types of what it calls have names", async () => {
  const readme = await Bun.file(join(app, "node_modules/@waybill/sdk/README.md")).text();
  const samples = [...readme.matchAll(/^```ts\n(.*?)^```/gms)]
    .map(([, sample = ""]) => sample)
    // Needs form-js, which this folder has not.
    .filter((sample) => !sample.includes("filePicker("));
  expect(samples).toHaveLength(7);
  const imports = samples.flatMap((sample) => sample.match(/^import .*$/gm) ?? []);
  const bodies = samples.map((sample) => `{\n${sample.replaceAll(/^import .*$/gm, "")}\n}`);
  await Bun.write(join(app, "samples.mts"), [...imports, surroundings, ...bodies].join("\n"));
  const compilerOptions = {
    ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noEmit: true },
    ...{ target: "es2022", module: "nodenext", lib: ["es2022", "dom", "dom.iterable"], types: [] },
  };
  await Bun.write(join(app, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["samples.mts"] }));
  const compiler = Bun.spawn(["bunx", "tsc", "-p", app], { stdout: "pipe", stderr: "inherit" });
  expect(await new Response(compiler.stdout).text()).toBe("");
}, 30_000);

/** Minified and gzipped, in kB; what form builders have already is left out. */
async function sizesOf(source: string): Promise<number[]> {
  const entry = join(app, "entry.js");
  await Bun.write(entry, source);
  const external = ["@bpmn-io/form-js-viewer", "preact"];
  const { outputs } = await Bun.build({ entrypoints: [entry], minify: true, target: "browser", external });
  if (!outputs[0]) throw new Error("there is no bundle");
  const bundle = new Uint8Array(await outputs[0].arrayBuffer());
  return [bundle.length / 1000, Bun.gzipSync(bundle).length / 1000];
}

test("the sizes in the README are those of the package", async () => {
  const readme = await Bun.file(join(app, "node_modules/@waybill/sdk/README.md")).text();
  const line = /^.*gzipped.*$/m.exec(readme)?.[0] ?? "";
  const told = [...line.matchAll(/([\d.]+) kB/g)].map(([, kilobytes]) => Number(kilobytes));
  const sizes = [
    ...(await sizesOf('export * from "@waybill/sdk"')),
    ...(await sizesOf('export { receiveFile } from "@waybill/sdk"')),
    ...(await sizesOf('export * from "@waybill/sdk/form-js"')),
  ];
  expect(told.map((kilobytes, index) => kilobytes / (sizes[index] ?? 0))).toEqual(
    told.map(() => expect.closeTo(1, 1)),
  );
  expect(told).toHaveLength(sizes.length);
});
