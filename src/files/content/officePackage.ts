/** Reads the content types and the relationships of an office document's parts (OPC, ISO 29500-2). */
import { createXmlReader, type XmlBudget, type XmlTag } from "./officeXml.ts";
import { ContentRejection } from "./rejection.ts";
import { inflateEntry } from "./zipContents.ts";
import { partKey, type ZipEntry } from "./zipEntries.ts";
import type { LaidOutArchive } from "./zipLayout.ts";

const typesKey = "[content_types].xml";
const typesNamespace = "http://schemas.openxmlformats.org/package/2006/content-types";
const relationshipsNamespace = "http://schemas.openxmlformats.org/package/2006/relationships";
/** More than `maxEntries` parts need at 200 bytes each. */
const maxTypesBytes = 1024 * 1024;
/** More than two attributes for each of `maxEntries` parts. */
const maxTypesTokens = 20_000;
/** A sheet may have 65,530 hyperlinks, each with about 200 bytes and five tags and attributes. */
const maxRelationshipBytes = 16 * 1024 * 1024;
const maxRelationshipTokens = 400_000;

export interface ContentTypes {
  /** Every content type that the document names, in lower case. */
  readonly all: ReadonlySet<string>;
  /** The content type of a part, in lower case. */
  of(key: string): string | undefined;
}

export interface Relationship {
  /** Key of the `.rels` part that contains it. */
  readonly source: string;
  readonly type: string;
  readonly target: string;
  readonly external: boolean;
}

export async function readContentTypes(archive: LaidOutArchive): Promise<ContentTypes> {
  const entry = archive.entries.find(({ key }) => key === typesKey);
  if (entry === undefined || entry.record.uncompressedSize > maxTypesBytes) {
    throw new ContentRejection("document_damaged");
  }
  const defaults = new Map<string, string>();
  const overrides = new Map<string, string>();
  const budget = { tokens: maxTypesTokens };
  await readXml(archive, { entry, budget }, ({ local, uri, attributes }) => {
    if (uri !== typesNamespace) throw new ContentRejection("document_damaged");
    if (local === "Default") addOnce(defaults, attributes.Extension?.toLowerCase(), attributes.ContentType);
    if (local === "Override") addOnce(overrides, overrideKey(attributes.PartName), attributes.ContentType);
  });
  return {
    all: new Set([...defaults.values(), ...overrides.values()]),
    of: (key) => overrides.get(key) ?? defaults.get(key.slice(key.lastIndexOf(".") + 1)),
  };
}

/** Refuses two types for one part, because two readers could then see two documents. */
function addOnce(types: Map<string, string>, key: string | undefined, type: string | undefined): void {
  if (key === undefined || type === undefined || types.has(key))
    throw new ContentRejection("document_damaged");
  types.set(key, type.trim().toLowerCase());
}

const overrideKey = (partName: string | undefined) =>
  partName?.startsWith("/") ? partKey(partName.slice(1)) : undefined;

/** Calls `onRelationship` for every relationship of every part. */
export async function readRelationships(
  archive: LaidOutArchive,
  onRelationship: (relationship: Relationship) => void,
): Promise<void> {
  const parts = archive.entries.filter(({ key }) => isRelationships(key));
  const bytes = parts.reduce((total, { record }) => total + record.uncompressedSize, 0);
  if (bytes > maxRelationshipBytes) throw new ContentRejection("document_damaged");
  const budget = { tokens: maxRelationshipTokens };
  for (const part of parts) {
    await readXml(archive, { entry: part, budget }, ({ local, uri, attributes }) => {
      if (uri !== relationshipsNamespace) throw new ContentRejection("document_damaged");
      if (local === "Relationship") onRelationship(toRelationship(part.key, attributes));
    });
  }
}

const isRelationships = (key: string) => /(?:^|\/)_rels\/[^/]*\.rels$/.test(key);

function toRelationship(source: string, attributes: XmlTag["attributes"]): Relationship {
  const { Type: type, Target: target, TargetMode: mode = "Internal" } = attributes;
  if (type === undefined || target === undefined) throw new ContentRejection("document_damaged");
  return { source, type, target, external: mode.toLowerCase() !== "internal" };
}

async function readXml(
  archive: LaidOutArchive,
  { entry, budget }: { readonly entry: ZipEntry; readonly budget: XmlBudget },
  onTag: (tag: XmlTag) => void,
): Promise<void> {
  const reader = createXmlReader(budget, onTag);
  await inflateEntry(archive, entry.record, reader.write);
  reader.end();
}
