/** XML as a tree that tests change and write again. */
import { SaxesParser } from "saxes";
import { escapeXml } from "./bpmn.ts";

export interface XmlNode {
  name: string;
  attributes: Record<string, string>;
  children: (XmlNode | string)[];
}

export function readTree(xml: string): XmlNode {
  const root: XmlNode = { name: "", attributes: {}, children: [] };
  const open = [root];
  const parser = new SaxesParser();
  parser.on("opentag", ({ name, attributes }) => {
    const node = { name, attributes: { ...attributes }, children: [] };
    open.at(-1)?.children.push(node);
    open.push(node);
  });
  parser.on("closetag", () => void open.pop());
  parser.on("text", (text) => void open.at(-1)?.children.push(text));
  parser.on("cdata", (text) => void open.at(-1)?.children.push(text));
  parser.write(xml).close();
  const [top] = root.children.filter((child) => typeof child !== "string");
  if (!top) throw new Error("the XML has no element");
  return top;
}

export function writeTree({ name, attributes, children }: XmlNode): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(value)}"`);
  const inner = children.map((child) => (typeof child === "string" ? escapeXml(child) : writeTree(child)));
  return `<${name}${written.join("")}>${inner.join("")}</${name}>`;
}

export const nodesOf = (node: XmlNode): XmlNode[] => [
  node,
  ...node.children.flatMap((child) => (typeof child === "string" ? [] : nodesOf(child))),
];
