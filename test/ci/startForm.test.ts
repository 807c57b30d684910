/** The start form's page in Chromium, as visitors use it. Screenshots of each stage go to `.screenshots/`. */
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { startFront } from "./startFormFront.ts";
import {
  filesOf,
  openSite,
  screenshot,
  seriousFindings,
  startReceiver,
  variablesOf,
  viewports,
  visitor,
} from "./startFormSite.ts";
import {
  docx,
  eventually,
  largePng,
  loanForm,
  macroDocx,
  named,
  openForm,
  parts,
  pdf,
  png,
  small,
} from "./startFormVisit.ts";

setDefaultTimeout(60_000);
const site = await openSite({ UPLOAD_MAX_SIZE: "1MB" });
const receiver = startReceiver();
const front = await startFront(site.server.url);
afterAll(async () => {
  front.stop();
  receiver.stop();
  await site.stop();
});

describe.each(["desktop", "phone"] as const)("on a %s", (device) => {
  const viewport = viewports[device];

  test("a form is filled in, sent, and an outside system downloads its files", async () => {
    const body = '{"card":"${card}","first":"${documents}","second":"${documents_2}"}';
    const embedded = await site.embed(loanForm, { call: { url: receiver.url, body } });
    const visit = await visitor(site, { viewport });
    const { page, trouble } = visit;
    const { name, amount, card, documents, send } = parts(visit);
    await page.goto(embedded.url);
    await page.getByText("You can attach 10 more files, 2 MB in all.").waitFor();
    expect(await page.title()).toBe("Loan application");
    await screenshot(page, `${device}-empty`);
    expect(await seriousFindings(page)).toEqual([]);

    await name.fill("Jane Doe");
    await amount.fill("20000");
    await card.input.setInputFiles(png);
    await card.holds("pillow.png");
    await documents.input.setInputFiles([pdf, docx]);
    await documents.holds("cairo.pdf", "libreoffice.docx");
    await page.getByText("You can attach 7 more files").waitFor();
    await screenshot(page, `${device}-filled`);
    expect(await seriousFindings(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);

    await send.click();
    await page.getByRole("heading", { name: "Thank you" }).waitFor();
    await screenshot(page, `${device}-sent`);
    expect(await seriousFindings(page)).toEqual([]);
    expect(await page.content()).not.toContain("attachment_id");
    const received = receiver.files.splice(0);
    await eventually(async () => received.length + receiver.files.length, 3);
    const arrived = [...received, ...receiver.files.splice(0)].map((file) => file.name).sort();
    expect(arrived).toEqual(["cairo.pdf", "libreoffice.docx", "pillow.png"]);
    expect(trouble).toEqual([]);
  });

  test("what is refused is said beside its field, in words, and nothing of it is kept", async () => {
    const { page, card, embedded, trouble } = await openForm(site, { viewport });
    const refusals: [file: string | { name: string; mimeType: string; buffer: Buffer }, words: string][] = [
      [named("notes.txt", 10), "Only these files are allowed: jpg, jpeg, png, pdf, docx, xlsx."],
      [named("empty.pdf", 0), "The file is empty."],
      [named("large.pdf", 1024 ** 2 + 1), "The file is larger than 1 MB."],
      [macroDocx, "The document contains macros or active controls."],
      [named("lying.png", 100), "The content of the file does not match its name or type."],
    ];
    for (const [file, words] of refusals) {
      await card.input.setInputFiles(file);
      await card.whole.getByRole("alert").getByText(words).waitFor();
      expect(await card.rows.count()).toBe(1);
    }
    await screenshot(page, `${device}-refused`);
    expect(await seriousFindings(page)).toEqual([]);
    await card.whole.getByRole("button", { name: "Dismiss: lying.png" }).click();
    expect(await card.rows.count()).toBe(0);
    expect(await filesOf(site, embedded)).toEqual([]);
    expect(trouble).toEqual([]);
  });

  test("an upload shows its progress, can be stopped, and holds the form back until it is there", async () => {
    const { page, context, name, amount, card, send, message, embedded } = await openForm(site, { viewport });
    const network = await context.newCDPSession(page);
    await network.send("Network.enable");
    await network.send("Network.emulateNetworkConditions", {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: 60_000,
    });
    await name.fill("Jane");
    await amount.fill("2000");
    await card.input.setInputFiles(largePng);
    const progress = page.getByRole("progressbar", { name: "Uploading large.png" });
    await eventually(async () => {
      const value = Number(await progress.getAttribute("value"));
      return value > 0 && value < 1;
    }, true);
    await screenshot(page, `${device}-progress`);
    expect(await seriousFindings(page)).toEqual([]);
    await send.click();
    await card.whole.getByText("Wait until the file is uploaded.").waitFor();
    expect(await message.textContent()).toContain("not sent yet");
    await page.getByRole("button", { name: "Stop: large.png" }).click();
    expect(await card.rows.count()).toBe(0);
    // At this pace still, for what is under way would be through before Chromium has heard that it is stopped.
    await card.input.setInputFiles(png);
    await card.holds("pillow.png");
    await eventually(() => filesOf(site, embedded), ["draft card pillow.png"]);
    await send.click();
    await page.getByRole("heading", { name: "Thank you" }).waitFor();
  });
});

test("a reload keeps what was typed and attached; after the form was sent it says so again", async () => {
  const { page, name, amount, card, documents, send, embedded } = await openForm(site);
  await name.fill("Jane Doe");
  await amount.fill("3000");
  await card.input.setInputFiles(png);
  await card.holds("pillow.png");
  await documents.input.setInputFiles([pdf, docx]);
  await eventually(async () => (await filesOf(site, embedded)).length, 3);
  await eventually(() => amount.inputValue(), "3000");
  await page.reload();
  await card.holds("pillow.png");
  await eventually(() => documents.rows.count(), 2);
  expect([await name.inputValue(), await amount.inputValue()]).toEqual(["Jane Doe", "3000"]);
  await send.click();
  await page.getByRole("heading", { name: "Thank you" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Thank you" }).waitFor();
  expect((await filesOf(site, embedded)).every((file) => file.startsWith("committed"))).toBe(true);
  expect(await variablesOf(site, embedded)).toMatchObject({ applicant: "Jane Doe", amount: 3000 });
  await page.getByRole("button", { name: "Fill in another form" }).click();
  await card.button.waitFor();
  expect(await name.inputValue()).toBe("");
});

test("what is typed while a file uploads stays when the upload ends, and over a reload at once", async () => {
  const { page, name, amount, card } = await openForm(site, { front });
  const upload = front.hold("/upload");
  await card.input.setInputFiles(png);
  await page.getByRole("progressbar").waitFor();
  await amount.pressSequentially("12");
  await name.pressSequentially("Maria");
  // In one go: the last letters, and the answer within form-js's 300 ms.
  await page.evaluate(() => {
    const input = document.querySelector<HTMLInputElement>('input[type="text"]');
    if (!input) throw new Error("there is no text field");
    input.value = "Maria Magdalena";
    input.dispatchEvent(new InputEvent("input", { bubbles: true }));
  });
  await upload.first;
  upload.letGo();
  await card.holds("pillow.png");
  await name.press("End");
  await name.pressSequentially(" van der Berg");
  await page.reload();
  await card.holds("pillow.png");
  expect([await name.inputValue(), await amount.inputValue()]).toEqual([
    "Maria Magdalena van der Berg",
    "12",
  ]);
});

test("a form that is not complete is not sent: the fields are marked, and the first has the focus", async () => {
  const { page, amount, card, name, send, message, embedded } = await openForm(site);
  await name.fill("Jane");
  await send.click();
  await message.getByText("Check the marked fields").waitFor();
  await eventually(() => amount.evaluate((input) => input === document.activeElement), true);
  await amount.fill("5000");
  await send.click();
  await eventually(() => card.button.evaluate((button) => button === document.activeElement), true);
  expect(await card.whole.getByText("Field is required.").count()).toBe(1);
  await screenshot(page, "desktop-faults");
  expect(await seriousFindings(page)).toEqual([]);
  expect(variablesOf(site, embedded)).rejects.toThrow("there are 0 instances");
});

test("the keyboard is enough", async () => {
  const { page, name, amount, card, send, documents } = await openForm(site);
  // Early: until Chromium has heard that somebody waits for it, a chooser that opens is lost.
  const chooser = page.waitForEvent("filechooser");
  await name.focus();
  await page.keyboard.type("Jane Doe");
  await page.keyboard.press("Tab");
  await page.keyboard.type("4000");
  expect(await amount.inputValue()).toBe("4000");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await (await chooser).setFiles(png);
  await card.holds("pillow.png");
  const hasFocus = (button: typeof send) => button.evaluate((shown) => shown === document.activeElement);
  await card.button.focus();
  await page.keyboard.press("Tab");
  expect(await hasFocus(documents.button)).toBe(true);
  await page.keyboard.press("Tab");
  expect(await hasFocus(send)).toBe(true);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Thank you" }).waitFor();
});

test("an Indonesian browser gets Indonesian: the page, the file field, and form-js itself", async () => {
  const { page, card, name, send, message, trouble } = await openForm(site, { locale: "id-ID" });
  expect(await page.getAttribute("html", "lang")).toBe("id");
  await page.getByText("Anda dapat melampirkan 10 berkas lagi").waitFor();
  expect(await card.button.textContent()).toBe("Pilih berkas");
  await card.input.setInputFiles(macroDocx);
  await card.whole.getByText("Dokumen berisi makro atau kontrol aktif.").waitFor();
  await name.fill("Siti");
  await send.click();
  await message.getByText("Formulir belum terkirim").waitFor();
  expect(await page.getByText("Wajib diisi.").count()).toBe(2);
  await screenshot(page, "desktop-indonesian");
  expect(trouble).toEqual([]);
});

test("a process without a start form is started by its button alone", async () => {
  const embedded = await site.embed(undefined);
  const visit = await visitor(site);
  await visit.page.goto(embedded.url);
  await parts(visit).send.click();
  await visit.page.getByRole("heading", { name: "Thank you" }).waitFor();
  expect(await variablesOf(site, embedded)).toEqual({});
});

test("an address without a form, and a form without a process, say so", async () => {
  const { page } = await visitor(site);
  await page.goto(`${site.server.url}/embed/nothing`);
  await page.getByRole("heading", { name: "This form does not exist" }).waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  const forms = await site.server.formSessions();
  const newEmbed = { process_key: "never_deployed" };
  const { url } = await forms.createEmbed({ xActiveTenant: "tenant-1", newEmbed });
  await page.goto(url);
  await page.getByRole("heading", { name: "This form is not available." }).waitFor();
  expect(await seriousFindings(page)).toEqual([]);
});

test("a site that the embed names shows the form in a frame, and another does not", async () => {
  const framing = (src: string) =>
    Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () =>
        new Response(`<iframe width="600" height="600" src="${src}"></iframe>`, {
          headers: { "Content-Type": "text/html" },
        }),
    });
  const allowed = framing("about:blank");
  const embedded = await site.embed(small, { allowedOrigins: [allowed.url.origin] });
  allowed.reload({
    fetch: () =>
      new Response(`<iframe width="600" height="600" src="${embedded.url}"></iframe>`, {
        headers: { "Content-Type": "text/html" },
      }),
  });
  const other = framing(embedded.url);
  const { page } = await visitor(site);
  await page.goto(allowed.url.href);
  const frame = page.frameLocator("iframe");
  await frame.getByLabel("Full name").fill("Jane");
  await frame.getByRole("button", { name: "Send" }).click();
  await frame.getByRole("heading", { name: "Thank you" }).waitFor();
  await page.goto(other.url.href);
  await page.waitForTimeout(500);
  expect(await frame.getByLabel("Full name").count()).toBe(0);
  await Promise.all([allowed.stop(true), other.stop(true)]);
});

test("a gateway may put the page under a path of its own", async () => {
  const { page, name, amount, card, send, embedded } = await openForm(site, { front });
  await name.fill("Jane");
  await amount.fill("9000");
  await card.input.setInputFiles(png);
  await card.holds("pillow.png");
  await send.click();
  await page.getByRole("heading", { name: "Thank you" }).waitFor();
  expect(await filesOf(site, embedded)).toEqual(["committed card pillow.png"]);
});

test("the mark of form-js is there, as its licence asks", async () => {
  const { page } = await openForm(site, { form: small });
  expect(await page.locator(".fjs-powered-by svg").isVisible()).toBe(true);
});
