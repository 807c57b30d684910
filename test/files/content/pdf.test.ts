import { expect, test } from "bun:test";
import { parsePdfDictionary } from "../../../src/files/content/pdfDictionary.ts";
import { fixture, inspect } from "../../support/inspectContent.ts";
import { buildZip } from "../../support/zipBuilder.ts";

const pdf = fixture("ghostscript.pdf");
const archive = buildZip([{ name: "evil.exe", data: "MZ" }]);
const inspectPdf = (...parts: (Buffer | string)[]) =>
  inspect(Buffer.concat(parts.map((part) => Buffer.from(part))), "a.pdf");

/** A PDF that has only a header, a table and `trailer`. */
function smallest(
  trailer: string,
  { header = "%PDF-1.7\n", table = "xref\n0 1\n0000000000 65535 f \n" } = {},
) {
  return `${header}${table}trailer\n${trailer}\nstartxref\n${header.length}\n%%EOF\n`;
}

test("the header of a PDF followed by HTML is refused", async () => {
  expect(await inspectPdf("%PDF-1.7 <html><script>alert(1)</script></html>")).toBe("pdf_truncated");
});

test("a PDF with bytes before it is refused", async () => {
  expect(await inspectPdf("<html>", pdf)).toBe("type_mismatch");
  expect(await inspectPdf("\n", pdf)).toBe("type_mismatch");
});

test("a PDF followed by bytes is refused, except white space and zeros", async () => {
  expect(await inspectPdf(pdf, "<html>")).toBe("pdf_trailing_data");
  expect(await inspectPdf(pdf, archive)).toBe("file_ambiguous");
  expect(await inspectPdf(pdf, "\r\n\0\0\0 \n")).toBe("accepted");
});

test("an archive around the end of a PDF is refused", async () => {
  const comment = Buffer.from(smallest("<< /Root 1 0 R >>").slice(9));
  const bytes = Buffer.concat([
    Buffer.from("%PDF-1.7\n"),
    buildZip([{ name: "a.exe", data: "MZ" }], { comment }),
  ]);
  expect(await inspectPdf(bytes)).toBe("file_ambiguous");
});

test("a trailer must have a catalogue and no encryption, in any spelling", async () => {
  expect(await inspectPdf(smallest("<< /Size 1 /Root 1 0 R >>"))).toBe("accepted");
  expect(await inspectPdf(smallest("<< /Size 1 >>"))).toBe("pdf_damaged");
  expect(await inspectPdf(smallest("<< /Root (1 0 R) >>"))).toBe("pdf_damaged");
  expect(await inspectPdf(smallest("<< /Root 1 0 R /Encrypt 2 0 R >>"))).toBe("document_encrypted");
  expect(await inspectPdf(smallest("<< /Root 1 0 R /#45ncr#79pt<</V 4>> >>"))).toBe("document_encrypted");
  expect(await inspectPdf(smallest("<< /Root 1 0 R /Note (/Encrypt) >>"))).toBe("accepted");
});

test("a PDF with a wrong startxref, table or earlier section is refused", async () => {
  const good = smallest("<< /Root 1 0 R >>");
  expect(await inspectPdf(good.replace("startxref\n9", "startxref\n12"))).toBe("pdf_damaged");
  expect(await inspectPdf(good.replace("startxref\n9", "startxref\n99999"))).toBe("pdf_damaged");
  expect(await inspectPdf(good.replace("startxref", "startxxxx"))).toBe("pdf_damaged");
  expect(await inspectPdf(good.replace("0000000000", "<script>  "))).toBe("pdf_damaged");
  expect(await inspectPdf(smallest("<< /Root 1 0 R /Prev 3 >>"))).toBe("pdf_damaged");
  expect(await inspectPdf(smallest("<< /Root 1 0 R /Prev 0 >>"))).toBe("accepted");
  expect(await inspectPdf(good.replace("%PDF-1.7", "%PDF-9.7"))).toBe("pdf_damaged");
});

test("sections that refer to each other are read once, and a dictionary without end is refused", async () => {
  expect(await inspectPdf(smallest("<< /Root 1 0 R /Prev 9 /XRefStm 9 >>"))).toBe("accepted");
  expect(await inspectPdf(smallest(`<< /Root 1 0 R /A ${"[".repeat(60_000)} >>`))).toBe("pdf_damaged");
  expect(await inspectPdf(smallest(`<< /Root 1 0 R /A (${"(".repeat(60_000)} >>`))).toBe("pdf_damaged");
});

test("a table that is larger than the reading window is accepted", async () => {
  for (const entries of [3_270, 3_275, 3_276, 3_277, 3_280]) {
    const table = `xref\n0 ${entries}\n${"0000000000 65535 f \n".repeat(entries)}`;
    expect(await inspectPdf(smallest("<< /Root 1 0 R >>", { table }))).toBe("accepted");
  }
});

test("the strings, arrays, comments, names and references of a dictionary are read", () => {
  const source = "<</A(\\)(b))/B[1 0 R<</X/Y>>]%/E\n/C<48 49>/D#20E -1.5/F null/G 12 0 R>>rest";
  const parsed = parsePdfDictionary(source);
  expect(source.slice(parsed?.end)).toBe("rest");
  expect([...(parsed?.dictionary ?? [])]).toEqual([
    ["A", "(\\)(b))"],
    ["B", "[1 0 R<</X/Y>>]"],
    ["C", "<48 49>"],
    ["D E", "-1.5"],
    ["F", "null"],
    ["G", "12 0 R"],
  ]);
});
