/** The start form's page in Chromium, as visitors use it. Screenshots of each stage go to `.screenshots/`. */
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { fixtureBytes, fixturePath } from "../support/attachments.ts";
import { buildDocument, typesXml } from "../support/officeParts.ts";
import { type Front, startFront } from "./startFormFront.ts";
import {
  type Embedded,
  filesOf,
  openSite,
  screenshot,
  seriousFindings,
  startReceiver,
  type Visitor,
  type VisitorOptions,
  variablesOf,
  viewports,
  visitor,
} from "./startFormSite.ts";

setDefaultTimeout(60_000);
const site = await openSite({ UPLOAD_MAX_SIZE: "1MB" });
const receiver = startReceiver();
const front = await startFront(site.server.url);
afterAll(async () => {
  front.stop();
  receiver.stop();
  await site.stop();
});

const loanForm = {
  type: "default",
  components: [
    { type: "text", id: "intro", text: "We need your name, the amount, and two documents." },
    { type: "textfield", id: "f1", key: "applicant", label: "Full name", validate: { required: true } },
    { type: "number", id: "f2", key: "amount", label: "Amount", validate: { required: true, min: 1000 } },
    { type: "filepicker", id: "f3", key: "card", label: "Identity card", validate: { required: true } },
    { type: "filepicker", id: "f4", key: "documents", label: "Documents", multiple: true },
  ],
};

const png = fixturePath("pillow.png");
const pdf = fixturePath("cairo.pdf");
const docx = fixturePath("libreoffice.docx");
const macroDocx = {
  name: "macro.docx",
  mimeType: "",
  buffer: buildDocument({
    types: typesXml("", "application/vnd.ms-word.document.macroEnabled.main+xml"),
  }),
};
const named = (name: string, bytes: number) => ({ name, mimeType: "", buffer: Buffer.alloc(bytes, "a") });
/** A picture that takes a while at a phone's pace. */
const largePng = { name: "large.png", mimeType: "", buffer: await paddedPng(900_000) };

/** A PNG with a text chunk of this many bytes. */
async function paddedPng(bytes: number): Promise<Buffer> {
  const image = Buffer.from(await fixtureBytes("pillow.png"));
  const data = Buffer.concat([Buffer.from("tEXtComment\0"), Buffer.alloc(bytes, "a")]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length - 4, 0);
  frame.writeUInt32BE(Bun.hash.crc32(data), 4);
  const chunk = Buffer.concat([frame.subarray(0, 4), data, frame.subarray(4)]);
  const afterHeader = 33;
  return Buffer.concat([image.subarray(0, afterHeader), chunk, image.subarray(afterHeader)]);
}

/** A form of its own, and somebody who has opened it. */
async function opened(options: VisitorOptions & { front?: Front } = {}, form: object = loanForm) {
  const embedded = await site.embed(form);
  const visit = await visitor(site, options);
  await visit.page.goto(options.front?.addressOf(embedded.url) ?? embedded.url);
  await visit.page.locator(".fjs-form").waitFor();
  return { embedded, ...visit, ...parts(visit) };
}

/** What a visitor looks for on the page. */
const parts = ({ page }: Visitor) => ({
  name: page.getByLabel(/Full name|Nama/),
  amount: page.getByLabel("Amount"),
  card: field(page, "f3"),
  documents: field(page, "f4"),
  send: page.getByRole("button", { name: /^(Send|Kirim)$/ }),
  message: page.locator(".message"),
});

function field(page: Visitor["page"], id: string) {
  const whole = page.locator(`.fjs-form-field:has(> input[id$="-${id}-input"])`);
  return {
    whole,
    input: whole.locator('input[type="file"]'),
    button: whole.locator(".fjs-filepicker-button"),
    rows: whole.locator(".wb-file"),
    /** The file is there, and nothing is on its way. */
    holds: (...names: string[]) =>
      eventually(
        () => whole.locator(".wb-file:has(.wb-file-size:not([aria-hidden])) .wb-file-name").allTextContents(),
        names,
      ),
  };
}

const thanked = (page: Visitor["page"]) => page.getByRole("heading", { name: "Thank you" }).waitFor();

const eventually = async (look: () => Promise<unknown>, wanted: unknown) => {
  for (let tries = 0; tries < 100 && !Bun.deepEquals(await look(), wanted); tries++) await Bun.sleep(50);
  expect(await look()).toEqual(wanted);
};

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
    const { page, card, embedded, trouble } = await opened({ viewport });
    const refusals: [file: string | { name: string; mimeType: string; buffer: Buffer }, words: string][] = [
      [named("notes.txt", 10), "Only these files are allowed: jpg, jpeg, png, pdf, docx, xlsx."],
      [named("empty.pdf", 0), "The file is empty."],
      [named("large.pdf", 1024 ** 2 + 1), "The file is larger than 1 MB."],
      [macroDocx, "The document contains macros or active controls."],
      [named("lying.png", 100), "The file's name, its declared content type and its bytes do not agree."],
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
    const { page, context, name, amount, card, send, message, embedded } = await opened({ viewport });
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

test("removing or replacing a file deletes its draft", async () => {
  const { page, card, documents, embedded } = await opened();
  await card.input.setInputFiles(png);
  await card.holds("pillow.png");
  await card.input.setInputFiles(pdf);
  await card.whole.getByText("cairo.pdf", { exact: true }).waitFor();
  await eventually(() => filesOf(site, embedded), ["draft card cairo.pdf"]);
  await documents.input.setInputFiles(png);
  await documents.holds("pillow.png");
  await documents.input.setInputFiles(docx);
  await eventually(
    () => filesOf(site, embedded),
    ["draft card cairo.pdf", "draft documents pillow.png", "draft documents libreoffice.docx"],
  );
  await page.getByRole("button", { name: "Remove: pillow.png" }).click();
  await eventually(
    () => filesOf(site, embedded),
    ["draft card cairo.pdf", "draft documents libreoffice.docx"],
  );
  expect(await documents.button.evaluate((button) => button === document.activeElement)).toBe(true);
});

test("where there is no room for both, the file that is replaced goes first", async () => {
  const { page, card, documents, embedded } = await opened();
  await card.input.setInputFiles(largePng);
  await card.holds("large.png");
  await documents.input.setInputFiles(largePng);
  await documents.holds("large.png");
  await card.input.setInputFiles({ ...largePng, name: "other.png" });
  await card.whole.getByText("other.png", { exact: true }).waitFor();
  await eventually(
    async () => (await filesOf(site, embedded)).sort(),
    ["draft card other.png", "draft documents large.png"],
  );
  await documents.input.setInputFiles({ ...largePng, name: "third.png" });
  await page.getByText(/There is room for \d+ kB only/).waitFor();
});

test("a reload keeps what was typed and attached; after the form was sent it says so again", async () => {
  const { page, name, amount, card, documents, send, embedded } = await opened();
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
  const { page, name, amount, card } = await opened({ front });
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

test("each of several files is a variable of its own, in lists and groups too", async () => {
  const form = {
    type: "default",
    components: [
      { type: "filepicker", id: "f4", key: "documents", label: "Documents", multiple: true },
      {
        type: "dynamiclist",
        id: "list",
        path: "rows",
        label: "Guarantors",
        defaultRepetitions: 2,
        components: [{ type: "filepicker", id: "f5", key: "scan", label: "Scan" }],
      },
      { type: "textfield", id: "f6", key: "documents_2", conditional: { hide: "=true" } },
      { type: "button", id: "go", action: "submit", label: "Apply" },
    ],
  };
  const { page, documents, embedded } = await opened({}, form);
  await documents.input.setInputFiles([png, pdf, docx]);
  const second = page.locator('input[id$="-f5_1-input"]');
  await second.setInputFiles(png);
  await eventually(async () => (await filesOf(site, embedded)).length, 4);
  await page.getByRole("button", { name: "Apply" }).click();
  await page.getByRole("heading", { name: "Thank you" }).waitFor();
  const variables = await variablesOf(site, embedded);
  const names = ["documents", "documents_3", "documents_4", "rows_2_scan"];
  const files = names.map((name) => JSON.parse(String(variables[name])).file_name);
  expect(files).toEqual(["pillow.png", "cairo.pdf", "libreoffice.docx", "pillow.png"]);
  expect((await filesOf(site, embedded)).every((file) => file.startsWith("committed"))).toBe(true);
});

const list = {
  type: "default",
  components: [
    {
      type: "dynamiclist",
      id: "list",
      path: "rows",
      label: "Guarantors",
      allowAddRemove: true,
      defaultRepetitions: 3,
      components: [{ type: "filepicker", id: "f5", key: "scan", label: "Scan" }],
    },
  ],
};
const rowsOf = (page: Visitor["page"]) => ({
  scan: (row: number) => field(page, `f5_${row}`),
  remove: page.locator(".fjs-repeat-row-remove"),
});

test("a file stays with its row when another is removed, also over a reload", async () => {
  const { page, send, embedded } = await opened({}, list);
  const { scan, remove } = rowsOf(page);
  await scan(1).input.setInputFiles(png);
  await scan(1).holds("pillow.png");
  await scan(2).input.setInputFiles(pdf);
  await scan(2).holds("cairo.pdf");
  await remove.first().click();
  await scan(0).holds("pillow.png");
  await scan(1).holds("cairo.pdf");
  await page.reload();
  await scan(0).holds("pillow.png");
  await scan(1).holds("cairo.pdf");
  await eventually(() => remove.count(), 2);
  await remove.first().click();
  await scan(0).holds("cairo.pdf");
  await eventually(() => filesOf(site, embedded), ["draft rows.2.scan cairo.pdf"]);
  await send.click();
  await thanked(page);
  expect(Object.keys(await variablesOf(site, embedded))).toEqual(["rows", "rows_1_scan"]);
});

test("an upload moves up with its row", async () => {
  const { page } = await opened({ front }, list);
  const { scan, remove } = rowsOf(page);
  const upload = front.hold("/upload");
  await scan(1).input.setInputFiles(png);
  await upload.first;
  await remove.first().click();
  await scan(0).whole.getByRole("progressbar").waitFor();
  upload.letGo();
  await scan(0).holds("pillow.png");
  expect([await remove.count(), await page.locator(".wb-file").count()]).toEqual([2, 1]);
});

test("an upload is stopped when its row is removed, and the form can be sent", async () => {
  const { page, send, embedded } = await opened({ front }, list);
  const { scan, remove } = rowsOf(page);
  const upload = front.hold("/upload");
  await scan(0).input.setInputFiles(png);
  await upload.first;
  await remove.first().click();
  await eventually(() => page.locator(".wb-file").count(), 0);
  upload.letGo();
  await eventually(() => filesOf(site, embedded), []);
  await send.click();
  await thanked(page);
});

test("files chosen at once count only once there is room for them: the eleventh is refused", async () => {
  const { page, documents, embedded } = await opened();
  const image = Buffer.from(await fixtureBytes("pillow.png"));
  const files = Array.from({ length: 11 }, (_, number) => ({
    ...largePng,
    name: `${number}.png`,
    buffer: image,
  }));
  await documents.input.setInputFiles([named("lying.png", 100), ...files]);
  await documents.whole.getByText("No more than 10 files can be attached.").waitFor();
  await documents.holds(...files.slice(0, 10).map(({ name }) => name));
  const refused = documents.whole.locator(".wb-refused .wb-file-name");
  expect(await refused.allTextContents()).toEqual(["lying.png", "10.png"]);
  expect((await filesOf(site, embedded)).length).toBe(10);
  await page.getByText("You can attach 0 more files").waitFor();
});

test("an upload whose answer is lost leaves nothing behind, and is there once when it is tried again", async () => {
  const { page, documents, send, name, amount, card, embedded } = await opened({ front });
  await card.input.setInputFiles(png);
  await card.holds("pillow.png");
  front.lose("/upload");
  await documents.input.setInputFiles(pdf);
  await documents.whole.getByText("The server could not be reached").waitFor();
  front.answerAll();
  await documents.whole.getByRole("button", { name: "Try again: cairo.pdf" }).click();
  await documents.holds("cairo.pdf");
  await page.getByText("You can attach 8 more files").waitFor();
  await eventually(
    async () => (await filesOf(site, embedded)).sort(),
    ["draft card pillow.png", "draft documents cairo.pdf"],
  );
  await page.reload();
  await documents.holds("cairo.pdf");
  await name.fill("Jane");
  await amount.fill("2000");
  await send.click();
  await thanked(page);
  expect(Object.keys(await variablesOf(site, embedded))).toEqual([
    "amount",
    "applicant",
    "card",
    "documents",
  ]);
});

test("an upload that is stopped when the server has it already leaves nothing behind", async () => {
  const { page, documents, embedded } = await opened({ front });
  const upload = front.hold("/upload");
  await documents.input.setInputFiles(pdf);
  await upload.first;
  await page.getByRole("button", { name: "Stop: cairo.pdf" }).click();
  await eventually(() => filesOf(site, embedded), []);
  upload.letGo();
  await page.getByText("You can attach 10 more files").waitFor();
});

test("what another tab attached takes up room, which is said in plain sizes", async () => {
  const visit = await opened();
  const page = await duplicated(visit);
  const second = parts({ ...visit, page });
  await visit.card.input.setInputFiles(largePng);
  await visit.card.holds("large.png");
  await visit.documents.input.setInputFiles(largePng);
  await visit.documents.holds("large.png");
  await second.card.button.waitFor();
  await second.card.input.setInputFiles({ ...largePng, name: "other.png" });
  await second.card.whole.getByText(/There is room for \d+ kB only/).waitFor();
  await page.getByText("You can attach 8 more files").waitFor();
});

const clearable = {
  ...loanForm,
  components: [...loanForm.components, { type: "button", id: "clear", action: "reset", label: "Clear" }],
};

test("clearing the form clears it, also of what an earlier visit left and of what is on its way", async () => {
  const { page, name, amount, card, documents, embedded } = await opened({ front }, clearable);
  await name.fill("Jane");
  await amount.fill("2000");
  await card.input.setInputFiles(png);
  await card.holds("pillow.png");
  await page.reload();
  await card.holds("pillow.png");
  expect(await name.inputValue()).toBe("Jane");
  await documents.input.setInputFiles(named("notes.txt", 10));
  await documents.whole.getByRole("alert").waitFor();
  const upload = front.hold("/upload");
  await documents.input.setInputFiles(pdf);
  await upload.first;
  await page.getByRole("button", { name: "Clear" }).click();
  const isEmpty = async () => {
    await eventually(() => page.locator(".wb-file").count(), 0);
    await eventually(async () => [await name.inputValue(), await amount.inputValue()], ["", ""]);
    await eventually(() => page.locator(".wb-said").allTextContents(), ["", ""]);
  };
  await isEmpty();
  upload.letGo();
  await eventually(async () => (await filesOf(site, embedded)).filter((file) => file.includes("pillow")), []);
  await page.getByText("You can attach 10 more files").waitFor();
  await isEmpty();
});

test("Enter pressed twice on Send does not stop the upload that the form waits for", async () => {
  const { page, name, amount, card, send, message } = await opened({ front });
  await name.fill("Jane");
  await amount.fill("2000");
  const upload = front.hold("/upload");
  await card.input.setInputFiles(png);
  await upload.first;
  await send.focus();
  await page.keyboard.press("Enter");
  await message.getByText("not sent yet").waitFor();
  await eventually(() => card.button.evaluate((button) => button === document.activeElement), true);
  await page.keyboard.press("Enter");
  upload.letGo();
  await card.holds("pillow.png");
});

test("a screen reader is not told of what is over: a refusal, a stop", async () => {
  const { page, card } = await opened({ front });
  const said = page.locator(".wb-said").first();
  await card.input.setInputFiles(macroDocx);
  await card.whole.getByRole("alert").waitFor();
  await eventually(() => said.textContent(), "");
  const upload = front.hold("/upload");
  await card.input.setInputFiles(png);
  await eventually(() => said.textContent(), "Uploading pillow.png");
  await page.getByRole("button", { name: "Stop: pillow.png" }).click();
  await eventually(() => said.textContent(), "pillow.png is no longer being uploaded.");
  upload.letGo();
});

const conditional = {
  type: "default",
  components: [
    { type: "checkbox", id: "f6", key: "has_card", label: "I have a card", defaultValue: true },
    { ...loanForm.components[3], conditional: { hide: "=not(has_card)" } },
  ],
};

test("a file field that is hidden while it uploads does not hold the form back", async () => {
  const { page, card, send, embedded } = await opened({ front }, conditional);
  const upload = front.hold("/upload");
  await card.input.setInputFiles(png);
  await upload.first;
  await page.getByLabel("I have a card").uncheck();
  await card.whole.waitFor({ state: "hidden" });
  await send.click();
  await thanked(page);
  upload.letGo();
  expect(await variablesOf(site, embedded)).toEqual({ has_card: false });
});

test("a file that arrived while its field was hidden is there when the field is", async () => {
  const { page, card, send, embedded } = await opened({ front }, conditional);
  const upload = front.hold("/upload");
  await card.input.setInputFiles(png);
  await upload.first;
  await page.getByLabel("I have a card").uncheck();
  await card.whole.waitFor({ state: "hidden" });
  upload.letGo();
  await eventually(() => filesOf(site, embedded), ["draft card pillow.png"]);
  await page.getByLabel("I have a card").check();
  await card.holds("pillow.png");
  await send.click();
  await thanked(page);
  expect(Object.keys(await variablesOf(site, embedded))).toEqual(["card", "has_card"]);
});

test("a form that is not complete is not sent: the fields are marked, and the first has the focus", async () => {
  const { page, amount, card, name, send, message, embedded } = await opened();
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
  const { page, name, amount, card, send, documents } = await opened();
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

const small = {
  type: "default",
  components: [{ type: "textfield", id: "f1", key: "applicant", label: "Full name" }],
};

const toldSentBefore = (page: Visitor["page"]) =>
  page.getByRole("heading", { name: /was sent before|sudah pernah terkirim/ }).waitFor();

test("sending twice starts one process: by a double click, and when the answer is lost", async () => {
  const { page, name, send, embedded } = await opened({ front }, small);
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
    const { page, name, send, message, embedded } = await opened({ front, locale }, small);
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
  const { page, name, send, message } = await opened({ front }, small);
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

/** As a browser duplicates a tab: with what the first has kept. */
async function duplicated({ page, context }: Visitor): Promise<Visitor["page"]> {
  const kept = await page.evaluate(() => JSON.stringify(sessionStorage));
  const second = await context.newPage();
  await second.goto(`${site.server.url}/healthz`);
  await second.evaluate((text) => Object.assign(sessionStorage, JSON.parse(text)), kept);
  await second.goto(page.url());
  return second;
}

test("of a tab and its duplicate one is sent, and the other says so", async () => {
  const visit = await opened({}, small);
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
  const { page, name, amount, send, message, embedded } = await opened(
    {},
    { ...small, components: [...small.components, loanForm.components[2]] },
  );
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
  const { page, name, send, embedded } = await opened({}, small);
  await name.fill("Jane");
  const forms = await site.server.formSessions();
  await forms.deleteEmbed({ xActiveTenant: "tenant-1", embedId: embedded.id });
  await send.click();
  await page.getByRole("heading", { name: "This form is not available." }).waitFor();
});

test("without a connection nothing is lost, and an upload can be tried again", async () => {
  const { page, context, name, amount, card, send, message, embedded } = await opened();
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
  const { page, name, amount, card, send, message, embedded } = await opened();
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

test("an Indonesian browser gets Indonesian: the page, the file field, and form-js itself", async () => {
  const { page, card, name, send, message, trouble } = await opened({ locale: "id-ID" });
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
  await page.getByRole("heading", { name: "There is no such form" }).waitFor();
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
  const { page, name, amount, card, send, embedded } = await opened({ front });
  await name.fill("Jane");
  await amount.fill("9000");
  await card.input.setInputFiles(png);
  await card.holds("pillow.png");
  await send.click();
  await page.getByRole("heading", { name: "Thank you" }).waitFor();
  expect(await filesOf(site, embedded)).toEqual(["committed card pillow.png"]);
});

test("the mark of form-js is there, as its licence asks", async () => {
  const { page } = await opened({}, small);
  expect(await page.locator(".fjs-powered-by svg").isVisible()).toBe(true);
});
