/**
 * The parts of a smallest docx or xlsx, each of which a test may replace, drop or add to.
 */
import { buildZip, type ZipEnd, type ZipPart } from "./zipBuilder.ts";

const contentTypes = "http://schemas.openxmlformats.org/package/2006/content-types";
export const relationships = "http://schemas.openxmlformats.org/package/2006/relationships";
export const officeRelationship = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const office = "application/vnd.openxmlformats-officedocument";

export const documentType = `${office}.wordprocessingml.document.main+xml`;
export const workbookType = `${office}.spreadsheetml.sheet.main+xml`;

/** `inner` goes among the content types. */
export const typesXml = (inner = "", mainType = documentType, main = "/word/document.xml") =>
  `<?xml version="1.0"?><Types xmlns="${contentTypes}"><Default Extension="xml" ContentType="application/xml"/>` +
  `<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
  `<Override PartName="${main}" ContentType="${mainType}"/>${inner}</Types>`;

export const relationshipsXml = (inner: string) =>
  `<?xml version="1.0"?><Relationships xmlns="${relationships}">${inner}</Relationships>`;

/** `type` may be short, as in `image`. */
export const relationship = (type: string, target: string, mode = "") =>
  `<Relationship Id="r${target.length}" Type="${type.includes(":") ? type : `${officeRelationship}/${type}`}" ` +
  `Target="${target}"${mode && ` TargetMode="${mode}"`}/>`;

export const documentXml =
  '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body/></w:document>';
export const workbookXml = '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"/>';

export interface DocumentParts {
  readonly types?: string;
  readonly rootRelationships?: string;
  readonly main?: string | Buffer;
  readonly extra?: readonly ZipPart[];
  readonly end?: ZipEnd;
}

/** A docx that is let in, but for what `parts` changes. */
export function buildDocument(parts: DocumentParts = {}): Buffer {
  return buildZip(documentParts(parts), parts.end);
}

export function documentParts({ types, rootRelationships, main, extra = [] }: DocumentParts = {}): ZipPart[] {
  const root = rootRelationships ?? relationship("officeDocument", "word/document.xml");
  return [
    { name: "[Content_Types].xml", data: types ?? typesXml() },
    { name: "_rels/.rels", data: relationshipsXml(root) },
    { name: "word/document.xml", data: main ?? documentXml },
    ...extra,
  ];
}
