/** BPMN XML → elements. What `operaton:` names is what `camunda:` names. */
import BpmnModdle from "bpmn-moddle";
import camunda from "camunda-bpmn-moddle/resources/camunda.json" with { type: "json" };
import type { Element } from "./elements.ts";
import { type ModelFault, operatonNamespace } from "./xml.ts";

export interface Parsed {
  readonly root: Element;
  /** Of moddle. They are errors, although its types say strings. */
  readonly warnings: readonly unknown[];
  readonly context: unknown;
  /** Whether bytes of the text were not UTF-8. */
  readonly isDamaged: boolean;
}

export async function parseBpmn(xml: string): Promise<Parsed | { readonly fault: ModelFault }> {
  try {
    const context = await new BpmnModdle({ camunda }, { nsMap: namespaces() }).fromXML(xml);
    return {
      root: context.rootElement as Element,
      warnings: context.warnings,
      context,
      isDamaged: xml.includes("\uFFFD"),
    };
  } catch (error) {
    const { line, detail } = complaintOf(error);
    return { fault: { line, element: undefined, detail: `The text is not BPMN: ${detail}.` } };
  }
}

/** The parts of a message of moddle: a summary, the line (from 0), and the cause. */
export function complaintOf(complaint: unknown): {
  readonly line: number | undefined;
  readonly detail: string;
} {
  const [summary = "", ...more] = String((complaint as Partial<Error>).message ?? complaint).split("\n");
  const textAfter = (label: string) =>
    more
      .map((text) => text.trim())
      .find((text) => text.startsWith(label))
      ?.slice(label.length)
      .trim();
  const [line, nested] = [textAfter("line:"), textAfter("nested error:")];
  return {
    line: line === undefined ? undefined : Number(line) + 1,
    detail: nested === undefined ? summary : `${summary}: ${nested}`,
  };
}

/** moddle adds the namespaces of BPMN to this object, so each parser needs its own. */
const namespaces = () => ({ [operatonNamespace]: "camunda" });
