/** Reads which user tasks a model gives to somebody. Large models are read in another thread. */
import { SaxesParser, type SaxesTagNS } from "saxes";
import { isExtension } from "../../bpmn/modelOutline.ts";
import { bpmnNamespace } from "../../bpmn/xml.ts";

const attributes: readonly string[] = ["assignee", "candidateUsers", "candidateGroups"];
const roles: readonly string[] = ["humanPerformer", "potentialOwner"];

/** The ids of the user tasks that name an assignee or candidates, by whatever expression. Throws if it is not XML. */
export function readOwnedTasks({ bpmn: xml }: { readonly bpmn: string }): ReadonlySet<string> {
  const owned = new Set<string>();
  const open: SaxesTagNS[] = [];
  const parser = new SaxesParser({ xmlns: true });
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", (tag) => {
    open.push(tag);
    if (isBpmn(tag, "userTask") && namesSomebody(tag)) owned.add(idOf(tag));
  });
  parser.on("closetag", () => void open.pop());
  const read = (text: string) => {
    const [task, role, , expression] = open.slice(-4);
    if (!task || !role || !expression || !isNamed(text)) return;
    const isRole = roles.some((name) => isBpmn(role, name));
    if (isBpmn(task, "userTask") && isRole && isBpmn(expression, "formalExpression")) owned.add(idOf(task));
  };
  parser.on("text", read);
  parser.on("cdata", read);
  parser.write(xml).close();
  return owned;
}

const isBpmn = ({ uri, local }: SaxesTagNS, name: string) => uri === bpmnNamespace && local === name;

const idOf = (tag: SaxesTagNS) => tag.attributes.id?.value ?? "";

const namesSomebody = (tag: SaxesTagNS) =>
  Object.values(tag.attributes).some(
    (attribute) => attributes.some((name) => isExtension(attribute, name)) && isNamed(attribute.value),
  );

/** Whether anything but commas and space is there. */
const isNamed = (text: string) => /[^\s,]/.test(text);
