/** Swagger UI works in a closed network: it names no other host, and its policy allows none. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { expectProblem } from "../support/problem.ts";
import { startServer, type TestServer } from "../support/server.ts";

let server: TestServer;
let html: string;
beforeAll(async () => {
  server = await startServer();
  html = await (await fetch(`${server.url}/swagger`)).text();
});
afterAll(() => server.stop());

/** The addresses that a page loads by itself. Links to follow are not included. */
async function loadedBy(page: string): Promise<string[]> {
  const found: string[] = [];
  const take = (name: string) => ({
    element: (element: HTMLRewriterTypes.Element) => {
      const value = element.getAttribute(name);
      if (value !== null) found.push(value);
    },
  });
  await new HTMLRewriter()
    .on("script, img, iframe, source, video, audio, embed", take("src"))
    .on("link", take("href"))
    .on("object", take("data"))
    .on("form", take("action"))
    .on("base", take("href"))
    .transform(new Response(page))
    .text();
  return found;
}

const urlsOf = (css: string) =>
  [...css.matchAll(/url\(\s*["']?([^"')]+)|@import\s+["']([^"']+)/g)].map(
    ([, url, imported]) => url ?? imported ?? "",
  );

test("the root redirects to it", async () => {
  const response = await fetch(server.url, { redirect: "manual" });
  expect([response.status, response.headers.get("location")]).toEqual([302, "/swagger"]);
});

test("all scripts and styles of /swagger are served here", async () => {
  const loaded = await loadedBy(html);
  expect(loaded.length).toBeGreaterThanOrEqual(3);
  for (const address of loaded) {
    expect(address).toMatch(/^\/(?!\/)/);
    const asset = await fetch(server.url + address);
    expect([address, asset.status]).toEqual([address, 200]);
    expect(asset.headers.get("x-content-type-options")).toBe("nosniff");
    expect(await asset.text()).not.toBe("");
  }
});

test("neither the page nor its styles load anything from another host", async () => {
  const styles = (await loadedBy(html)).filter((address) => address.endsWith(".css"));
  const sheets = await Promise.all(styles.map(async (path) => (await fetch(server.url + path)).text()));
  const inline = [...html.matchAll(/<style[^>]*>([\s\S]*?)<\/style>/g)].map(([, css]) => css ?? "");
  for (const url of [...sheets, ...inline].flatMap(urlsOf)) expect(url).toMatch(/^(data:|#|\/(?!\/))/);
  expect(html).not.toMatch(/unpkg|jsdelivr|cdnjs|googleapis/);
});

test("the page has no inline script, so the policy can forbid them", () => {
  const scripts = [...html.matchAll(/<script\b([^>]*)>([\s\S]*?)<\/script>/g)];
  expect(scripts.length).toBeGreaterThanOrEqual(2);
  for (const [, attributes, text] of scripts) {
    expect(attributes).toContain('src="/swagger/assets/');
    expect(text).toBe("");
  }
  expect(html).not.toMatch(/\son\w+=/);
});

test("the start script reads the contract from this server", async () => {
  const script = await (await fetch(`${server.url}/swagger/assets/start.js`)).text();
  const [, url = ""] = /"url":"([^"]+)"/.exec(script) ?? [];
  expect(new URL(url, `${server.url}/swagger`).href).toBe(`${server.url}/openapi.json`);
  expect(script).not.toMatch(/https?:\/\//);
});

test("the policy allows only this host, and no inline script", async () => {
  const response = await fetch(`${server.url}/swagger`);
  const policy = response.headers.get("content-security-policy") ?? "";
  const directives = new Map(
    policy.split(";").map((part) => part.trim().split(/ (.*)/s).slice(0, 2) as [string, string]),
  );
  expect(directives.get("default-src")).toBe("'none'");
  expect(directives.get("script-src")).toBe("'self'");
  expect(directives.get("connect-src")).toBe("'self'");
  expect(directives.get("frame-ancestors")).toBe("'none'");
  expect(policy).not.toMatch(/https?:|\*|unsafe-eval|script-src[^;]*unsafe-inline/);
  expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
});

test("other files of the package are not served", async () => {
  for (const name of [
    "package.json",
    "swagger-ui-bundle.js.map",
    "index.html",
    "__proto__",
    "%2e%2e%2fpackage.json",
  ])
    await expectProblem(await fetch(`${server.url}/swagger/assets/${name}`), "route_not_found");
});

test("SWAGGER_UI=off answers 404 for the page and its files, but not for the contract", async () => {
  const off = await startServer({ environment: { SWAGGER_UI: "off" } });
  for (const path of ["/", "/swagger", "/swagger/assets/start.js", "/swagger/assets/swagger-ui.css"])
    await expectProblem(await fetch(off.url + path, { redirect: "manual" }), "route_not_found");
  for (const path of ["/openapi.json", "/openapi.yaml"])
    expect((await fetch(off.url + path)).status).toBe(200);
  await off.stop();
});

test("OPENAPI=off answers 404 for the contract and the page", async () => {
  const off = await startServer({ environment: { OPENAPI: "off" } });
  for (const path of ["/openapi.json", "/openapi.yaml", "/swagger", "/"])
    await expectProblem(await fetch(off.url + path, { redirect: "manual" }), "route_not_found");
  expect((await fetch(`${off.url}/healthz`)).status).toBe(200);
  await off.stop();
});
