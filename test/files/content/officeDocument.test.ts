import { expect, test } from "bun:test";
import { inspect } from "../../support/inspectContent.ts";
import {
  buildDocument,
  documentType,
  documentXml,
  relationship,
  relationshipsXml,
  typesXml,
  workbookType,
  workbookXml,
} from "../../support/officeParts.ts";
import { buildZip } from "../../support/zipBuilder.ts";

const main = relationship("officeDocument", "word/document.xml");
const withTypes = (inner: string) => inspect(buildDocument({ types: typesXml(inner) }), "a.docx");
const withRelationship = (inner: string) => {
  const extra = [{ name: "word/_rels/document.xml.rels", data: relationshipsXml(inner) }];
  return inspect(buildDocument({ extra }), "a.docx");
};

test("an archive with a list of content types and a program is refused", async () => {
  const lie = buildZip([
    { name: "[Content_Types].xml", data: typesXml() },
    { name: "evil.exe", data: "MZ" },
  ]);
  expect(await inspect(lie, "a.docx", documentType.replace(".main+xml", ""))).toBe("document_wrong_kind");
});

test("a document with a program among its parts is refused", async () => {
  expect(await inspect(buildDocument({ extra: [{ name: "evil.exe", data: "MZ" }] }), "a.docx")).toBe(
    "document_wrong_kind",
  );
  const trash = { name: "[trash]/0000.dat", data: "left by Office" };
  expect(await inspect(buildDocument({ extra: [trash] }), "a.docx")).toBe("accepted");
});

test("a renamed macro document is refused, by its main type or by its parts", async () => {
  const macroType = "application/vnd.ms-word.document.macroEnabled.main+xml";
  expect(await inspect(buildDocument({ types: typesXml("", macroType) }), "a.docx")).toBe(
    "document_has_macros",
  );
  const project = { name: "word/vbaProject.bin", data: "x" };
  const typed = typesXml('<Default Extension="bin" ContentType="application/x-harmless"/>');
  expect(await inspect(buildDocument({ types: typed, extra: [project] }), "a.docx")).toBe(
    "document_has_macros",
  );
  const renamed = { ...project, name: "word/vba%50roject.BIN" };
  expect(await inspect(buildDocument({ types: typed, extra: [renamed] }), "a.docx")).toBe(
    "document_has_macros",
  );
});

test.each([
  "application/vnd.ms-office.vbaProject",
  "application/vnd.ms-word.vbaData+xml",
  "application/vnd.ms-excel.macrosheet+xml",
  "application/vnd.ms-excel.intlmacrosheet+xml",
  "application/vnd.ms-office.activeX+xml",
  "application/vnd.ms-excel.sheet.macroEnabled.12",
])("the content type %s is refused", async (type) => {
  expect(await withTypes(`<Default Extension="x" ContentType="${type}"/>`)).toBe("document_has_macros");
});

test.each([
  "http://schemas.microsoft.com/office/2006/relationships/vbaProject",
  "http://schemas.microsoft.com/office/2006/relationships/wordVbaData",
  "http://schemas.microsoft.com/office/2006/relationships/xlMacrosheet",
  "http://schemas.microsoft.com/office/2006/relationships/activeXControlBinary",
  "http://schemas.openxmlformats.org/officeDocument/2006/relationships/control",
])("a relationship of type %s is refused", async (type) => {
  expect(await withRelationship(relationship(type, "harmless.bin"))).toBe("document_has_macros");
});

test.each([
  ["attachedTemplate", "https://evil.example/t.dotm"],
  ["attachedTemplate", "file://server/share/t.dotm"],
  ["attachedTemplate", "file:///\\\\server\\share\\t.dotm"],
  ["attachedTemplate", "\\\\server\\share\\t.dotm"],
  ["attachedTemplate", "//server/share/t.dotm"],
  ["oleObject", "mhtml:http://evil.example/x!x-usc:http://evil.example/x"],
  ["oleObject", "http://evil.example/x.html!"],
  ["frame", "http://evil.example/"],
])("an external %s at %s is refused", async (type, target) => {
  expect(await withRelationship(relationship(type, target, "External"))).toBe("document_remote_content");
});

test.each([
  ["hyperlink", "https://example.com/"],
  ["hyperlink", "mailto:a@example.com"],
  ["image", "https://example.com/logo.png"],
  ["externalLinkPath", "file:///\\\\server\\share\\rates.xlsx"],
  ["attachedTemplate", "file:///C:\\Users\\Sari\\Templates\\Letter.dotx"],
  ["attachedTemplate", "Letter.dotx"],
])("an external %s at %s is accepted", async (type, target) => {
  expect(await withRelationship(relationship(type, target, "External"))).toBe("accepted");
});

test("there must be exactly one main part, with the right type and root element", async () => {
  const root = (rootRelationships: string) => inspect(buildDocument({ rootRelationships }), "a.docx");
  expect(await root(relationship("officeDocument", "/word/document.xml"))).toBe("accepted");
  expect(await root("")).toBe("document_wrong_kind");
  expect(await root(main + relationship("officeDocument", "word/other.xml"))).toBe("document_wrong_kind");
  expect(await root(relationship("officeDocument", "word/none.xml"))).toBe("document_wrong_kind");
  expect(await root(relationship("officeDocument", "http://evil.example/", "External"))).toBe(
    "document_damaged",
  );
  expect(await inspect(buildDocument({ main: workbookXml }), "a.docx")).toBe("document_wrong_kind");
  expect(await inspect(buildDocument({ main: "MZ\x90\0" }), "a.docx")).toBe("document_damaged");
  expect(await inspect(buildDocument({ main: "" }), "a.docx")).toBe("document_wrong_kind");
  expect(await inspect(buildDocument({ types: typesXml("", "application/xml") }), "a.docx")).toBe(
    "document_wrong_kind",
  );
});

test("a workbook with the types of a document, and the reverse, are refused", async () => {
  const types = typesXml("", workbookType);
  expect(await inspect(buildDocument({ types, main: workbookXml }), "a.docx")).toBe("type_mismatch");
  expect(await inspect(buildDocument({ types, main: workbookXml }), "a.xlsx")).toBe("accepted");
  expect(await inspect(buildDocument({ types, main: documentXml }), "a.xlsx")).toBe("document_wrong_kind");
});

test("a template is a type mismatch", async () => {
  const type = "application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml";
  expect(await inspect(buildDocument({ types: typesXml("", type) }), "a.docx")).toBe("type_mismatch");
});

test("the strict variant, single quotes, prefixes and UTF-16 are accepted", async () => {
  const strict = documentXml.replace(/http[^"]*/, "http://purl.oclc.org/ooxml/wordprocessingml/main");
  const strictRoot = relationship(
    "http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument",
    "word/document.xml",
  );
  expect(await inspect(buildDocument({ main: strict, rootRelationships: strictRoot }), "a.docx")).toBe(
    "accepted",
  );
  const quoted = typesXml().replaceAll('"', "'");
  expect(await inspect(buildDocument({ types: quoted }), "a.docx")).toBe("accepted");
  const prefixed = typesXml()
    .replaceAll(/<(\/?)(Types|Default|Override)/g, "<$1t:$2")
    .replace("xmlns=", "xmlns:t=");
  expect(await inspect(buildDocument({ types: prefixed }), "a.docx")).toBe("accepted");
  const wide = Buffer.from(`\ufeff${documentXml}`, "utf16le");
  expect(await inspect(buildDocument({ main: wide }), "a.docx")).toBe("accepted");
});

test("macros behind an entity, a prefix or UTF-16 are refused", async () => {
  const macro = 'Extension="x" ContentType="application/vnd.ms-office.vbaProject"/>';
  expect(await withTypes(`<t:Default xmlns:t="urn:other" ${macro}`)).toBe("document_damaged");
  expect(await withTypes(`<Default ${macro.replace("vba", "&#118;ba")}`)).toBe("document_has_macros");
  const hidden = Buffer.from(`\ufeff${relationshipsXml(relationship("urn:x/vbaProject", "a"))}`, "utf16le");
  const extra = [{ name: "word/_rels/document.xml.rels", data: hidden }];
  expect(await inspect(buildDocument({ extra }), "a.docx")).toBe("document_has_macros");
});

test("a document type, an unknown entity, two types for a part, and broken XML are refused", async () => {
  const bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>';
  const types = (text: string) => inspect(buildDocument({ types: text }), "a.docx");
  expect(await types(typesXml().replace("<Types", `${bomb}<Types`))).toBe("document_damaged");
  expect(await types(typesXml('<Default Extension="y" ContentType="&b;"/>'))).toBe("document_damaged");
  const again = `<Override PartName="/Word/Document.xml" ContentType="${documentType}"/>`;
  expect(await types(typesXml(again))).toBe("document_damaged");
  expect(await types(typesXml().slice(0, -3))).toBe("document_damaged");
  const renamed = typesXml().replace('version="1.0"', 'version="1.0" encoding="UTF-7"');
  expect(await types(renamed)).toBe("document_damaged");
  expect(await types(typesXml("\x01"))).toBe("document_damaged");
  expect(await types(typesXml("<a>".repeat(100) + "</a>".repeat(100)))).toBe("document_damaged");
});
