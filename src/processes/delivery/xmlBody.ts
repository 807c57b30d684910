/**
 * Placeholders in XML: in text, in attribute values and in CDATA sections, nowhere else.
 *
 * Where each one stands is told by a parser that reads the template with a mark for each. A mark in a name or a
 * reference is a syntax error there; one in a comment, an instruction or a document type is not reported, and so is
 * missing in the count.
 */
import { SaxesParser } from "saxes";
import { DeliveryFailure } from "../../infrastructure/outbound/failure.ts";
import { doesNotFit, wellFormedTextOf } from "./encoding.ts";
import type { Fill } from "./fill.ts";
import { assemble, mark, type Template } from "./template.ts";

/** For every element the parser looks at all those around it, for their namespaces. */
const deepest = 128;

type XmlPlace = "text" | "attribute" | "cdata";

export function renderXml(template: Template, fills: readonly Fill[]): string {
  const places = placesOf(template);
  const written = places.map((place, index) => inPlace(place, escapedText(fills[index] as Fill)));
  return assemble(template, written);
}

/** Text between two CDATA sections is the same to a reader as text inside one. */
const inPlace = (place: XmlPlace, escaped: string) =>
  place === "cdata" ? `]]>${escaped}<![CDATA[` : escaped;

function placesOf(template: Template): XmlPlace[] {
  const marked = template.names.map(() => mark);
  const places = placesOfMarks(assemble(template, marked));
  if (places.length !== template.names.length) throw malformed();
  const empty = places.map((place) => inPlace(place, ""));
  // Around an empty value "]]" and ">" would meet, which text may not hold.
  placesOfMarks(assemble(template, empty));
  return places;
}

/** In the document's order. Throws `invalid_template` where it is not well-formed. */
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
    // A value that chose a namespace would rename every element in it.
    if (!/^xmlns(:|$)/.test(name)) report("attribute")(value);
  });
  parser.write(source).close();
  return places;
}

/**
 * For text and for either kind of attribute. `]` too, behind which the template may go on with `]>`; white space by
 * number, or a reader would make it LF or a blank.
 */
function escapedText(fill: Fill): string {
  const text = wellFormedTextOf(fill);
  if (/[^\t\n\r\u0020-\uFFFD\u{10000}-\u{10FFFF}]/u.test(text))
    throw doesNotFit(fill.name, "holds a control character, which XML cannot");
  return text.replaceAll(/[&<>\]"'\t\n\r]/g, (char) => `&#${char.charCodeAt(0)};`);
}

const tooDeep = () =>
  new DeliveryFailure("invalid_template", `The XML nests deeper than ${deepest} elements.`);

const malformed = (cause?: unknown) =>
  new DeliveryFailure(
    "invalid_template",
    "The template is not XML in which every placeholder stands in text, in an attribute's value or in a CDATA section.",
    { cause },
  );
