/**
 * `bun run pictures`: the two pictures of the documents, of the loan application's start form and of Swagger UI, taken
 * from a server that is started here. Needs Debian's Chromium at /usr/bin/chromium.
 */
import { fileURLToPath } from "node:url";
import { openSite, visitor } from "../test/ci/startFormSite.ts";
import { deploy } from "../test/support/processes.ts";

const example = fileURLToPath(new URL("../examples/loan-application/", import.meta.url));
const read = (name: string) => Bun.file(example + name);
const viewport = { width: 960, height: 820 };
const save = (name: string) => fileURLToPath(new URL(`${name}.png`, import.meta.url));

const site = await openSite();
try {
  const names = ["loan_application.form", "correct_application.form", "review_application.form"];
  const forms = await Promise.all(names.map((name) => read(name).json()));
  await deploy(site.server, await read("loan_application.bpmn").text(), { forms });
  const api = await site.server.formSessions();
  const newEmbed = { process_key: "loan_application" };
  const { url } = await api.createEmbed({ xActiveTenant: "tenant-1", newEmbed });

  const { page } = await visitor(site, { viewport });
  await page.goto(url);
  await page.getByLabel("Full name").fill("Siti Rahma");
  await page.getByLabel("Amount").fill("25000");
  const pickers = page.locator('input[type="file"]');
  await pickers.nth(0).setInputFiles(`${example}card.png`);
  await page.getByRole("button", { name: "Replace file" }).waitFor();
  await pickers.nth(1).setInputFiles(`${example}receiver.ts`);
  await page.getByText("receiver.ts", { exact: true }).waitFor();
  await page.screenshot({ path: save("start-form"), fullPage: true });

  await page.setViewportSize({ width: 1100, height: 900 });
  await page.goto(`${site.server.url}/swagger`);
  await page.locator("#operations-tag-processes").scrollIntoViewIfNeeded();
  await page.locator("#operations-tag-processes").waitFor();
  await page.waitForTimeout(500);
  await page.screenshot({ path: save("swagger") });
} finally {
  await site.stop();
}
process.exit(0);
