/**
 * Placeholders in XML. They can be in text, in attribute values and in CDATA sections.
 *
 * A parser finds their places: it reads the template with a mark for each. A mark in a name or a reference is a syntax
 * error. A mark in a comment, an instruction or a document type is not reported, so that the count is too low.
 */
import { SaxesParser } from "saxes";
import { DeliveryFailure } from "../../infrastructure/outbound/failure.ts";
import { doesNotFit, wellFormedTextOf } from "./encoding.ts";
import type { Fill } from "./fill.ts";
import { assemble, mark, type Template } from "./template.ts";

/** Levels of elements. For every element, the parser looks up namespaces in all elements around it. */
const deepest = 128;

type XmlPlace = "text" | "attribute" | "cdata";

export function renderXml(template: Template, fills: readonly Fill[]): string {
  const places = placesOf(template);
  const written = places.map((place, index) => inPlace(place, escapedText(fills[index] as Fill)));
  return assemble(template, written);
}

/** To a reader, text between two CDATA sections is the same as text inside one. */
const inPlace = (place: XmlPlace, escaped: string) =>
  place === "cdata" ? `]]>${escaped}<![CDATA[` : escaped;

function placesOf(template: Template): XmlPlace[] {
  const marked = template.names.map(() => mark);
  const places = placesOfMarks(assemble(template, marked));
  if (places.length !== template.names.length) throw malformed();
  const empty = places.map((place) => inPlace(place, ""));
  // Around an empty value, "]]" and ">" could meet. Text cannot contain "]]>".
  placesOfMarks(assemble(template, empty));
  return places;
}

/** The places in the order of the document. Throws `invalid_template` if it is not well-formed. */
function placesOfMarks(source: string): XmlPlace[] {
  const places: XmlPlace[] = [];
  const report = (place: XmlPlace) => (text: string) => {
    for (let pieces = text.split(mark).length; pieces > 1; pieces--) places.push(place);
  };
  const parser = new SaxesParser({ xmlns: true });
  parser.on("error", (cause) => {
    throw malformed(cause);
  });
  let depth = 0;
  parser.on("opentagstart", () => {
    if (++depth > deepest) throw tooDeep();
  });
  parser.on("closetag", () => void depth--);
  parser.on("text", report("text"));
  parser.on("cdata", report("cdata"));
  parser.on("attribute", ({ name, value }) => {
    // A value in a namespace declaration would rename the elements of the namespace.
    if (!/^xmlns(:|$)/.test(name)) report("attribute")(value);
  });
  parser.write(source).close();
  return places;
}

/**
 * Escapes for text and for attributes in either quotes. Also escapes `]`, because the template may continue with `]>`,
 * and white space, which a reader would otherwise normalise to LF or a blank.
 */
function escapedText(fill: Fill): string {
  const text = wellFormedTextOf(fill);
  if (/[^\t\n\r\u0020-\uFFFD\u{10000}-\u{10FFFF}]/u.test(text))
    throw doesNotFit(fill.name, "holds a control character, which XML cannot");
  return text.replaceAll(/[&<>\]"'\t\n\r]/g, (char) => `&#${char.charCodeAt(0)};`);
}

const tooDeep = () =>
  new DeliveryFailure(
    "invalid_template",
    `The elements of the XML are nested deeper than ${deepest} levels.`,
  );

const malformed = (cause?: unknown) =>
  new DeliveryFailure(
    "invalid_template",
    "The template is not XML with every placeholder in text, in the value of an attribute or in a CDATA section.",
    { cause },
  );
