/** A start form that somebody has opened, and what they find on it. */
import { expect } from "bun:test";
import { fixtureBytes, fixturePath } from "../support/attachments.ts";
import { buildDocument, typesXml } from "../support/officeParts.ts";
import type { Front } from "./startFormFront.ts";
import { type Site, type Visitor, type VisitorOptions, visitor } from "./startFormSite.ts";

export const loanForm = {
  type: "default",
  components: [
    { type: "text", id: "intro", text: "We need your name, the amount, and two documents." },
    { type: "textfield", id: "f1", key: "applicant", label: "Full name", validate: { required: true } },
    { type: "number", id: "f2", key: "amount", label: "Amount", validate: { required: true, min: 1000 } },
    { type: "filepicker", id: "f3", key: "card", label: "Identity card", validate: { required: true } },
    { type: "filepicker", id: "f4", key: "documents", label: "Documents", multiple: true },
  ],
};

export const png = fixturePath("pillow.png");
export const pdf = fixturePath("cairo.pdf");
export const docx = fixturePath("libreoffice.docx");
export const macroDocx = {
  name: "macro.docx",
  mimeType: "",
  buffer: buildDocument({
    types: typesXml("", "application/vnd.ms-word.document.macroEnabled.main+xml"),
  }),
};
export const named = (name: string, bytes: number) => ({
  name,
  mimeType: "",
  buffer: Buffer.alloc(bytes, "a"),
});
/** A picture that takes a while at a phone's pace. */
export const largePng = { name: "large.png", mimeType: "", buffer: await paddedPng(900_000) };

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

export interface OpenOptions extends VisitorOptions {
  readonly front?: Front;
  /** The loan form where it is left out. */
  readonly form?: object;
}

/** A form of its own, and somebody who has opened it. */
export async function openForm(site: Site, options: OpenOptions = {}) {
  const { form = loanForm, front } = options;
  const embedded = await site.embed(form);
  const visit = await visitor(site, options);
  await visit.page.goto(front?.addressOf(embedded.url) ?? embedded.url);
  await visit.page.locator(".fjs-form").waitFor();
  return { embedded, ...visit, ...parts(visit) };
}

/** What a visitor looks for on the page. */
export const parts = ({ page }: Visitor) => ({
  name: page.getByLabel(/Full name|Nama/),
  amount: page.getByLabel("Amount"),
  card: field(page, "f3"),
  documents: field(page, "f4"),
  send: page.getByRole("button", { name: /^(Send|Kirim)$/ }),
  message: page.locator(".message"),
});

export function field(page: Visitor["page"], id: string) {
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

export const thanked = (page: Visitor["page"]) => page.getByRole("heading", { name: "Thank you" }).waitFor();

export const eventually = async (look: () => Promise<unknown>, wanted: unknown) => {
  for (let tries = 0; tries < 100 && !Bun.deepEquals(await look(), wanted); tries++) await Bun.sleep(50);
  expect(await look()).toEqual(wanted);
};

export const small = {
  type: "default",
  components: [{ type: "textfield", id: "f1", key: "applicant", label: "Full name" }],
};

/** As a browser duplicates a tab: with what the first has kept. */
export async function duplicated({ page, context }: Visitor): Promise<Visitor["page"]> {
  const kept = await page.evaluate(() => JSON.stringify(sessionStorage));
  const second = await context.newPage();
  await second.goto(new URL("/healthz", page.url()).href);
  await second.evaluate((text) => Object.assign(sessionStorage, JSON.parse(text)), kept);
  await second.goto(page.url());
  return second;
}
