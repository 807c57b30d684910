/**
 * The packed SDK's module for form-js in a form builder's own page: the guide's lines, in `SDK_FORM_APP` (`.ci/sdk` makes
 * it), where the package and form-js are installed from npm, bundled, and opened in Chromium beside a listening server.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { fixturePath } from "../support/attachments.ts";
import { startServer, type TestServer } from "../support/server.ts";

const folder = process.env.SDK_FORM_APP ?? "";
const app = `
import { createForm } from "@bpmn-io/form-js-viewer";
import "@bpmn-io/form-js-viewer/dist/assets/form-js.css";
import { createUploader } from "@waybill/sdk";
import { filePicker } from "@waybill/sdk/form-js";
import "@waybill/sdk/form-js.css";

window.open_form = async (token, schema, more = {}) => {
  const uploader = createUploader({ baseUrl: location.origin, token, tenant: "tenant-1", processKey: "loan" });
  const form = await createForm({ container: document.body, schema, ...more, additionalModules: [filePicker({ uploader })] });
  form.on("submit", ({ data, errors }) => { window.sent = { data, errors }; });
  window.form = form;
};`;
const schema = {
  type: "default",
  id: "loan",
  schemaVersion: 19,
  components: [
    {
      type: "filepicker",
      id: "card",
      key: "identity_card",
      label: "Identity card",
      validate: { required: true },
    },
    { type: "textfield", id: "name", key: "name", label: "Name" },
    { type: "button", id: "send", action: "submit", label: "Send" },
    { type: "button", id: "clear", action: "reset", label: "Clear" },
  ],
};

let server: TestServer;
let browser: Browser;
let site: Bun.Server<undefined>;
beforeAll(async () => {
  await Bun.write(join(folder, "app.js"), app);
  const built = await Bun.build({ entrypoints: [join(folder, "app.js")], target: "browser" });
  const bundle = new Map(built.outputs.map((output) => [output.path.replace(/^.*\./, "/app."), output]));
  server = await startServer();
  browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
  const html = `<!doctype html><link rel="stylesheet" href="/app.css"><script type="module" src="/app.js"></script>`;
  site = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => {
      const { pathname, search } = new URL(request.url);
      if (pathname === "/") return new Response(html, { headers: { "Content-Type": "text/html" } });
      const part = bundle.get(pathname);
      if (part) return new Response(part);
      return fetch(server.url + pathname + search, new Request(request, { redirect: "manual" }));
    },
  });
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await site?.stop(true);
  await server?.stop();
});

async function openForm(more: object = {}) {
  const page = await browser.newPage();
  await page.goto(site.url.href);
  const options = [await server.token(), schema, more].map((option) => JSON.stringify(option));
  await page.evaluate(`open_form(${options.join(", ")})`);
  return page;
}

test("a form builder's form uploads what is chosen, and its data names it", async () => {
  const page = await openForm();
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText("Field is required.").waitFor();
  await page.locator("input[type=file]").setInputFiles(fixturePath("pillow.png"));
  await page.getByRole("button", { name: "Remove: pillow.png" }).waitFor();
  await page.getByRole("button", { name: "Send" }).click();
  await page.waitForFunction("Object.keys(sent.errors).length === 0");
  const { identity_card } = (await page.evaluate("sent.data")) as { identity_card: string };
  const metadata = JSON.parse(identity_card);
  expect(metadata).toMatchObject({ file_name: "pillow.png", mime_type: "image/png" });
  const attachments = await server.attachments();
  const finalized = await attachments.finalizeAttachments({
    xActiveTenant: "tenant-1",
    finalization: { attachment_ids: [metadata.attachment_id], process_instance_id: "4711" },
  });
  expect(finalized.committed).toEqual([metadata.attachment_id]);
}, 30_000);

test("a form that is taken away stops its uploads", async () => {
  const page = await openForm();
  const network = await page.context().newCDPSession(page);
  await network.send("Network.enable");
  const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 500 };
  await network.send("Network.emulateNetworkConditions", slow);
  const stopped = page.waitForEvent("requestfailed");
  await page.locator("input[type=file]").setInputFiles(fixturePath("cairo.pdf"));
  await page.getByRole("button", { name: "Stop: cairo.pdf" }).waitFor();
  await page.evaluate("form.destroy()");
  const request = await stopped;
  expect(request.url()).toEndWith("/form-attachments/upload");
  expect(request.failure()?.errorText).toBe("net::ERR_ABORTED");
}, 30_000);

test("a file that the official application put there is shown, and stays as it is", async () => {
  const identity_card = '{"id":"0c8f9f0e-6f0b-4b8a-9d3e-000000000001","file_name":"official.pdf"}';
  const page = await openForm({ data: { identity_card } });
  const row = page.locator(".wb-file");
  await row.getByText("official.pdf", { exact: true }).waitFor();
  expect(await row.textContent()).not.toContain("NaN");
  await page.getByRole("button", { name: "Send" }).click();
  await page.waitForFunction("window.sent && Object.keys(sent.errors).length === 0");
  expect(await page.evaluate("sent.data")).toMatchObject({ identity_card });
  // It is no draft: a reset goes back to it.
  await page.getByRole("button", { name: "Remove: official.pdf" }).click();
  await row.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Clear" }).click();
  await row.getByText("official.pdf", { exact: true }).waitFor();
}, 30_000);

test("what is typed is in the form's data at once, whatever delay the form builder asked for", async () => {
  const page = await openForm({ debounce: 3_600_000 });
  await page.getByLabel("Name").pressSequentially("Maria");
  await page.waitForFunction("form._getState().data.name === 'Maria'");
}, 30_000);
