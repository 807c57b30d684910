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
