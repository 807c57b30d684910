/**
 * Checks the structure of docx and xlsx: a zip archive without tricks that is an office package (OPC), with a main part
 * that is a document or workbook without macros.
 *
 * Refused: macros, Excel 4 macro sheets and ActiveX, by content type, relationship or name; templates, objects and
 * frames that are loaded from another computer. Allowed: hyperlinks, linked pictures and workbooks, embedded OLE
 * objects and files. Of embedded files only the bytes are counted.
 */
import type { FileBytes } from "./fileBytes.ts";
import {
  type ContentTypes,
  type Relationship,
  readContentTypes,
  readRelationships,
} from "./officePackage.ts";
import { createXmlReader } from "./officeXml.ts";
import { ContentRejection } from "./rejection.ts";
import { inflateEntry, refuseBomb } from "./zipContents.ts";
import { partKey, readZipArchive, type ZipArchive } from "./zipEntries.ts";
import { checkZipLayout, type LaidOutArchive } from "./zipLayout.ts";

interface MainPart {
  readonly contentType: string;
  readonly root: string;
  /** Transitional and strict (ISO 29500-1). */
  readonly namespaces: readonly string[];
}

const mainParts: Record<"docx" | "xlsx", MainPart> = {
  docx: {
    contentType: "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml",
    root: "document",
    namespaces: [
      "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
      "http://purl.oclc.org/ooxml/wordprocessingml/main",
    ],
  },
  xlsx: {
    contentType: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml",
    root: "workbook",
    namespaces: [
      "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
      "http://purl.oclc.org/ooxml/spreadsheetml/main",
    ],
  },
};

const officeDocumentTypes = new Set([
  "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument",
  "http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument",
]);

export async function checkOfficeDocument(file: FileBytes, format: "docx" | "xlsx"): Promise<void> {
  const listed = await readZipArchive(file);
  refuseBomb(listed);
  const archive = await checkZipLayout(listed);
  for (const { record } of archive.entries) await inflateEntry(archive, record);
  const types = await readContentTypes(archive);
  refuseMacros(archive, types);
  const main = await checkRelationships(archive);
  await checkMainPart(archive, { key: main, types, expected: mainParts[format] });
  refuseUntypedParts(archive, types);
}

const macroContentType = /macro|vba|activex/;
const macroRelationship = /\/(?:vba\w*|wordvbadata|xl(?:intl)?macrosheet|activex\w*|control)$/;
const macroName = /(?:^|\/)(?:vbaproject|vbadata)[^/]*$|(?:^|\/)(?:macrosheets|activex)\//;

function refuseMacros(archive: ZipArchive, types: ContentTypes): void {
  const found =
    [...types.all].some((type) => macroContentType.test(type)) ||
    archive.entries.some(({ key }) => macroName.test(key));
  if (found) throw new ContentRejection("document_has_macros");
}

/** Returns the key of the main part. There must be exactly one. */
async function checkRelationships(archive: LaidOutArchive): Promise<string> {
  const mains: string[] = [];
  await readRelationships(archive, (relationship) => {
    if (macroRelationship.test(relationship.type.toLowerCase())) {
      throw new ContentRejection("document_has_macros");
    }
    if (isRemote(relationship)) throw new ContentRejection("document_remote_content");
    if (relationship.source !== "_rels/.rels" || !officeDocumentTypes.has(relationship.type)) return;
    if (relationship.external) throw new ContentRejection("document_damaged");
    mains.push(partKey(relationship.target.replace(/^\//, "")));
  });
  const [main] = mains;
  if (main === undefined || mains.length > 1) throw new ContentRejection("document_wrong_kind");
  return main;
}

const loadedTypes = /\/(?:attachedtemplate|oleobject|package|frame|subdocument|afchunk)$/;

/** Honest documents name a template on the author's own drive; one on another computer is an attack. */
function isRemote({ type, target, external }: Relationship): boolean {
  if (!external || !loadedTypes.test(type.toLowerCase())) return false;
  const isLocal = /^(?:file:\/{2,3})?[a-z]:[\\/]/i.test(target) || /^[^\\/:][^:]*$/.test(target);
  return !isLocal;
}

/** The main part is read in slices and only up to its root element: the rest may be deep and long. */
const sliceBytes = 1024;
/** Word declares about forty namespaces there. */
const maxRootTokens = 1_000;

interface Expectation {
  readonly key: string;
  readonly types: ContentTypes;
  readonly expected: MainPart;
}

async function checkMainPart(archive: LaidOutArchive, { key, types, expected }: Expectation): Promise<void> {
  const part = archive.entries.find((entry) => entry.key === key);
  if (part === undefined || types.of(key) !== expected.contentType) {
    throw new ContentRejection("document_wrong_kind");
  }
  let root: boolean | undefined;
  const reader = createXmlReader({ tokens: maxRootTokens }, ({ local, uri }) => {
    root ??= local === expected.root && expected.namespaces.includes(uri);
  });
  await inflateEntry(archive, part.record, (chunk) => {
    for (let at = 0; root === undefined && at < chunk.length; at += sliceBytes) {
      reader.write(chunk.subarray(at, at + sliceBytes));
    }
  });
  if (!root) throw new ContentRejection("document_wrong_kind");
}

/**
 * Office calls a file damaged if a part has no content type, except in `[trash]`, which Office itself leaves behind.
 */
function refuseUntypedParts({ entries }: ZipArchive, types: ContentTypes): void {
  const untyped = entries.some(
    ({ key, isFolder }) =>
      !isFolder &&
      key !== "[content_types].xml" &&
      !key.startsWith("[trash]/") &&
      types.of(key) === undefined,
  );
  if (untyped) throw new ContentRejection("document_wrong_kind");
}
