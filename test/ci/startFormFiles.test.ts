/** The start form's file fields in Chromium: lists, resets, what is on its way, and what the server has. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { fixtureBytes } from "../support/attachments.ts";
import { startFront } from "./startFormFront.ts";
import { filesOf, openSite, type Visitor, variablesOf } from "./startFormSite.ts";
import {
  docx,
  duplicated,
  eventually,
  field,
  largePng,
  loanForm,
  macroDocx,
  named,
  openForm,
  parts,
  pdf,
  png,
  thanked,
} from "./startFormVisit.ts";

setDefaultTimeout(60_000);
const site = await openSite({ UPLOAD_MAX_SIZE: "1MB" });
const front = await startFront(site.server.url);
afterAll(async () => {
  front.stop();
  await site.stop();
});

test("removing or replacing a file deletes its draft", async () => {
  const { page, card, documents, embedded } = await openForm(site);
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

test("a file that was removed while the server was away does not come back with a reload", async () => {
  const { page, card, embedded } = await openForm(site);
  await card.input.setInputFiles(png);
  await card.holds("pillow.png");
  await page.reload();
  await card.holds("pillow.png");
  await page.route("**/public/form-attachments/*", (route) => route.abort());
  await page.getByRole("button", { name: "Remove: pillow.png" }).click();
  await card.holds();
  await page.unroute("**/public/form-attachments/*");
  expect(await filesOf(site, embedded)).toEqual(["draft card pillow.png"]);
  await page.reload();
  await card.button.waitFor();
  await eventually(() => filesOf(site, embedded), []);
  expect(await card.rows.count()).toBe(0);
});

test("where there is no room for both, the file that is replaced goes first", async () => {
  const { page, card, documents, embedded } = await openForm(site);
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
  const { page, documents, embedded } = await openForm(site, { form: form });
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
  const { page, send, embedded } = await openForm(site, { form: list });
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
  const { page } = await openForm(site, { front, form: list });
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
  const { page, send, embedded } = await openForm(site, { front, form: list });
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
  const { page, documents, embedded } = await openForm(site);
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
  const { page, documents, send, name, amount, card, embedded } = await openForm(site, { front });
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
  const { page, documents, embedded } = await openForm(site, { front });
  const upload = front.hold("/upload");
  await documents.input.setInputFiles(pdf);
  await upload.first;
  await page.getByRole("button", { name: "Stop: cairo.pdf" }).click();
  await eventually(() => filesOf(site, embedded), []);
  upload.letGo();
  await page.getByText("You can attach 10 more files").waitFor();
});

test("what another tab attached takes up room, which is said in plain sizes", async () => {
  const visit = await openForm(site);
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
  const { page, name, amount, card, documents, embedded } = await openForm(site, { front, form: clearable });
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
  const { page, name, amount, card, send, message } = await openForm(site, { front });
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
  const { page, card } = await openForm(site, { front });
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
  const { page, card, send, embedded } = await openForm(site, { front, form: conditional });
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
  const { page, card, send, embedded } = await openForm(site, { front, form: conditional });
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
