/** The page as the server sends it. test/ci/startForm*.test.ts has its behaviour in a browser. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startServer, type TestServer } from "../../support/server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

async function embed(allowed_origins?: string[]): Promise<string> {
  const newEmbed = { process_key: "loan_application", ...(allowed_origins ? { allowed_origins } : {}) };
  const forms = await server.formSessions();
  return (await forms.createEmbed({ xActiveTenant: "tenant-1", newEmbed })).url;
}

const directives = (page: Response) =>
  Object.fromEntries(
    (page.headers.get("content-security-policy") ?? "").split("; ").map((directive) => {
      const [name = "", ...sources] = directive.split(" ");
      return [name, sources.join(" ")];
    }),
  );

test("the embed's address is a page with a strict policy that is not cached", async () => {
  const page = await fetch(await embed());
  expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  expect(page.headers.get("cache-control")).toBe("no-store");
  expect(page.headers.get("referrer-policy")).toBe("no-referrer");
  expect(page.headers.get("x-content-type-options")).toBe("nosniff");
  expect(directives(page)).toEqual({
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "font-src": "'self'",
    "connect-src": "'self'",
    "form-action": "'none'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
  });
});

test("the page has no inline script or style and names no other host", async () => {
  const html = await (await fetch(await embed())).text();
  expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|https?:/i);
  for (const [, attributes = "", content] of html.matchAll(/<script([^>]*)>(.*?)<\/script>/gs))
    expect([attributes.includes('src="assets/'), content]).toEqual([true, ""]);
});

test("only the sites that the embed names may frame it", async () => {
  const page = await fetch(await embed(["https://bank.example", "http://localhost:8080"]));
  expect(directives(page)["frame-ancestors"]).toBe("https://bank.example http://localhost:8080");
});

test("an unknown address answers 404 with a page that says so in both languages", async () => {
  const page = await fetch(`${server.url}/embed/nothing`);
  expect([page.status, page.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
  expect(directives(page)["frame-ancestors"]).toBe("'none'");
  const html = await page.text();
  expect(html).toContain("This form does not exist");
  expect(html).toContain("Formulir tidak ditemukan");
  expect(html).not.toContain("<script");
});
