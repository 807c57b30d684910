import { afterAll, beforeAll, expect, test } from "bun:test";
import { expectProblem } from "../../support/problem.ts";
import { startServer, type TestServer } from "../../support/server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

async function assetsOfPage(): Promise<string[]> {
  const forms = await server.formSessions();
  const newEmbed = { process_key: "loan_application" };
  const { url } = await forms.createEmbed({ xActiveTenant: "tenant-1", newEmbed });
  const html = await (await fetch(url)).text();
  return [...html.matchAll(/"(assets\/[^"]+)"/g)].map(([, path = ""]) => new URL(path, url).pathname);
}

test("every file that the page names exists and may be cached permanently", async () => {
  const paths = await assetsOfPage();
  expect(paths.map((path) => path.replace(/[a-z0-9]{8}/, "HASH")).sort()).toEqual([
    "/embed/assets/start-form.HASH.css",
    "/embed/assets/start-form.HASH.js",
  ]);
  for (const path of paths) {
    const asset = await fetch(server.url + path);
    expect(asset.status).toBe(200);
    expect(asset.headers.get("content-type")).toBe(
      path.endsWith(".js") ? "text/javascript; charset=utf-8" : "text/css; charset=utf-8",
    );
    expect(asset.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(asset.headers.get("x-content-type-options")).toBe("nosniff");
  }
});

test("clients that accept gzip get the same text in less than half the bytes", async () => {
  for (const path of await assetsOfPage()) {
    const get = (encodings: string) =>
      fetch(server.url + path, { headers: { "Accept-Encoding": encodings }, decompress: false });
    const plain = await get("identity");
    const text = await plain.text();
    const packed = await get("gzip, deflate, br, zstd");
    const bytes = await packed.bytes();
    expect(packed.headers.get("content-encoding")).toBe("gzip");
    expect(packed.headers.get("content-type")).toBe(plain.headers.get("content-type"));
    expect(bytes.length).toBeLessThan(text.length / 2);
    expect(new TextDecoder().decode(Bun.gunzipSync(bytes))).toBe(text);
    for (const encodings of ["identity", "br", "gzip;q=0", "gzip;q=0.5, identity"]) {
      const answer = await get(encodings);
      expect(answer.headers.get("content-encoding")).toBeNull();
      expect(answer.headers.get("vary")).toBe("Accept-Encoding");
      expect(await answer.text()).toBe(text);
    }
  }
});

test("the style sheet loads nothing else", async () => {
  const [path = ""] = (await assetsOfPage()).filter((name) => name.endsWith(".css"));
  expect(await (await fetch(server.url + path)).text()).not.toMatch(/url\(|@import/);
});

test.each(["nothing.js", "start-form.00000000.js", "..%2Fmain.ts", "constructor"])(
  "any other name answers 404: %s",
  async (name) => {
    await expectProblem(await fetch(`${server.url}/embed/assets/${name}`), "route_not_found");
  },
);
