/** The start form's way to the server in Chromium, and what a visitor is told of it when something is in the way. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { startFront } from "./startFormFront.ts";
import {
  type Embedded,
  filesOf,
  openSite,
  screenshot,
  seriousFindings,
  type Visitor,
  variablesOf,
  visitor,
} from "./startFormSite.ts";
import { duplicated, eventually, loanForm, openForm, parts, png, small, thanked } from "./startFormVisit.ts";

setDefaultTimeout(60_000);
const site = await openSite({ UPLOAD_MAX_SIZE: "1MB" });
const front = await startFront(site.server.url);
afterAll(async () => {
  front.stop();
  await site.stop();
});

const toldSentBefore = (page: Visitor["page"]) =>
  page.getByRole("heading", { name: /was sent before|sudah pernah terkirim/ }).waitFor();

test("sending twice starts one process: by a double click, and when the answer is lost", async () => {
  const { page, name, send, embedded } = await openForm(site, { front, form: small });
  await name.fill("Jane");
  front.lose("/process-instances");
  await send.dblclick();
  await thanked(page);
  front.answerAll();
  expect(await variablesOf(site, embedded)).toEqual({ applicant: "Jane" });
});

test.each(["en-US", "id-ID"])(
  "what is corrected after a lost answer is not said to be sent, also after a reload (%s)",
  async (locale) => {
    const { page, name, send, message, embedded } = await openForm(site, { front, locale, form: small });
    await name.fill("Jane");
    front.lose("/process-instances");
    let asked = 0;
    await page.route("**/start-form", (route) => (asked++ === 0 ? route.continue() : route.abort()));
    await send.click();
    await message.getByText(/could not be reached|tidak dapat dihubungi/).waitFor();
    front.answerAll();
    await page.unroute("**/start-form");
    await name.fill("Jane Doe");
    await send.click();
    await toldSentBefore(page);
    expect(await seriousFindings(page)).toEqual([]);
    await page.reload();
    await toldSentBefore(page);
    expect(await variablesOf(site, embedded)).toEqual({ applicant: "Jane" });
  },
);

test("the same sent again after a lost answer is thanked for", async () => {
  const { page, name, send, message } = await openForm(site, { front, form: small });
  await name.fill("Jane");
  front.lose("/process-instances");
  let asked = 0;
  await page.route("**/start-form", (route) => (asked++ === 0 ? route.continue() : route.abort()));
  await send.click();
  await message.getByText("could not be reached").waitFor();
  front.answerAll();
  await page.unroute("**/start-form");
  await send.click();
  await thanked(page);
});

test("of a tab and its duplicate one is sent, and the other says so", async () => {
  const visit = await openForm(site, { form: small });
  await visit.name.fill("Jane");
  const page = await duplicated(visit);
  const second = parts({ ...visit, page });
  await second.name.fill("Joan");
  await visit.send.click();
  await thanked(visit.page);
  await second.send.click();
  await toldSentBefore(page);
  expect(await variablesOf(site, visit.embedded)).toEqual({ applicant: "Jane" });
});

test("a form that lost a field since it was opened is not sent; loaded again, it is", async () => {
  const { page, name, amount, send, message, embedded } = await openForm(site, {
    form: { ...small, components: [...small.components, loanForm.components[2]] },
  });
  await name.fill("Jane");
  await amount.fill("2000");
  await site.deploy(embedded.key, small);
  await send.click();
  await message.getByText("it has changed since you opened it").waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByRole("button", { name: "Load the form again" }).click();
  await message.getByText("The form has changed.").waitFor();
  expect([await name.inputValue(), await amount.count()]).toEqual(["Jane", 0]);
  await send.click();
  await thanked(page);
  expect(await variablesOf(site, embedded)).toEqual({ applicant: "Jane" });
});

test("a form that is taken away while it is open is no longer available", async () => {
  const { page, name, send, embedded } = await openForm(site, { form: small });
  await name.fill("Jane");
  const forms = await site.server.formSessions();
  await forms.deleteEmbed({ xActiveTenant: "tenant-1", embedId: embedded.id });
  await send.click();
  await page.getByRole("heading", { name: "This form is not available." }).waitFor();
});

test("without a connection nothing is lost, and an upload can be tried again", async () => {
  const { page, context, name, amount, card, send, message, embedded } = await openForm(site);
  await name.fill("Jane");
  await amount.fill("6000");
  await context.setOffline(true);
  await page.getByText("You are offline.").waitFor();
  await card.input.setInputFiles(png);
  await card.whole.getByText("The server could not be reached").waitFor();
  await context.setOffline(false);
  await card.whole.getByRole("button", { name: "Try again: pillow.png" }).click();
  await card.holds("pillow.png");
  await eventually(() => filesOf(site, embedded), ["draft card pillow.png"]);
  await context.setOffline(true);
  await send.click();
  await message.getByText("The server could not be reached").waitFor();
  await context.setOffline(false);
  await send.click();
  await page.getByRole("heading", { name: "Thank you" }).waitFor();
});

/** A token that ends soon, as if the visitor had come four hours ago. */
async function ending(visit: Visitor, { key, id, url }: Embedded, ttlSeconds: number): Promise<void> {
  const tenant = { id: 1, slug: "tenant-1" };
  const begun = await site.server.deps.formTokens?.begin({ tenant, processKey: key }, { ttlSeconds });
  const kept = JSON.stringify({ token: begun?.token, typed: { applicant: "Jane Doe" } });
  await visit.page.goto(`${new URL(url).origin}/healthz`);
  await visit.page.evaluate(
    ([name, value]) => sessionStorage.setItem(name ?? "", value ?? ""),
    [`waybill-form:${id}`, kept],
  );
  await visit.page.goto(url);
}

test("when the session ends while somebody types, the page says so and begins again with what was typed", async () => {
  const embedded = await site.embed(loanForm);
  const visit = await visitor(site);
  const { page } = visit;
  const { name, amount, card, send, message } = parts(visit);
  await ending(visit, embedded, 4);
  await card.input.setInputFiles(png);
  await card.holds("pillow.png");
  await amount.fill("7000");
  await Bun.sleep(4_500);
  await send.click();
  await message.getByText("The time for this form is over").waitFor();
  await screenshot(page, "desktop-expired");
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByRole("button", { name: "Begin again" }).click();
  await card.button.waitFor();
  expect(await card.rows.count()).toBe(0);
  expect([await name.inputValue(), await amount.inputValue()]).toEqual(["Jane Doe", "7000"]);
  await card.input.setInputFiles(png);
  await card.holds("pillow.png");
  await send.click();
  await page.getByRole("heading", { name: "Thank you" }).waitFor();
});

test("a page that is opened again after its session has ended says so and goes on", async () => {
  const embedded = await site.embed(loanForm);
  const visit = await visitor(site);
  await ending(visit, embedded, -1);
  await parts(visit).message.getByText("so it has begun again").waitFor();
  expect(await parts(visit).name.inputValue()).toBe("Jane Doe");
});

test("files that are gone when the form is sent are asked for again", async () => {
  const { page, name, amount, card, send, message, embedded } = await openForm(site);
  await name.fill("Jane");
  await amount.fill("8000");
  await card.input.setInputFiles(png);
  await card.holds("pillow.png");
  await eventually(async () => (await filesOf(site, embedded)).length, 1);
  await site.server.sql`delete from waybill.attachments where process_key = ${embedded.key}`;
  await send.click();
  await message.getByText("Some files are no longer there").waitFor();
  expect([await name.inputValue(), await card.rows.count()]).toEqual(["Jane", 0]);
  await card.input.setInputFiles(png);
  await card.holds("pillow.png");
  await send.click();
  await page.getByRole("heading", { name: "Thank you" }).waitFor();
});
