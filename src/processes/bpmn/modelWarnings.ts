/** Warnings about any model, also one that another engine judges: what its forms cannot say, and what they decide. */
import { chosenByVisitors } from "./chosenByVisitors.ts";
import { type Element, everyElement, extensionsOf, flowElementsOf, isType, listOf } from "./elements.ts";
import { formIdOf, formsById, generatedFormsOf, validateFormData } from "./formData.ts";
import { parseBpmn } from "./parseBpmn.ts";
import { ownersOf } from "./taskOwners.ts";
import { type Lines, scanXml } from "./xml.ts";

/** Most models have neither fields nor owners, and are not parsed. */
const mayWarn = /formData|assignee|candidateUsers|candidateGroups|humanPerformer|potentialOwner/;

/** `forms` has form-js schemas by their ids. Empty for what is not BPMN, or too large for the embedded engine. */
export async function modelWarnings(
  xml: string,
  forms: Readonly<Record<string, unknown>>,
): Promise<readonly string[]> {
  if (!mayWarn.test(xml)) return [];
  const { lines, faults } = scanXml(xml);
  const parsed = faults.length === 0 ? await parseBpmn(xml) : undefined;
  if (!parsed || "fault" in parsed) return [];
  const processes = listOf(parsed.root, "rootElements").filter((root) => root.isExecutable === true);
  return processes.flatMap((process) => [
    ...formWarnings(process, lines),
    ...ownerWarnings(process, { ...forms, ...formsById(generatedFormsOf(process)) }),
  ]);
}

function formWarnings(process: Element, lines: Lines): string[] {
  const warnings: string[] = [];
  const warn = ({ id = "" }: Element, detail: string) =>
    warnings.push(`Line ${lines.of(id) ?? "?"}, "${id}": ${detail}`);
  for (const { element } of everyElement(process))
    if (extensionsOf(element).some(({ $type }) => $type === "camunda:FormData"))
      validateFormData(element, warn);
  return warnings;
}

/** Other engines run processes with several start events. */
function ownerWarnings(process: Element, forms: Readonly<Record<string, unknown>>): string[] {
  const tasks = [...everyElement(process)].filter(({ element }) => isType(element, "UserTask"));
  const userTasks = new Map(tasks.map(({ element }) => [element.id ?? "", { owners: ownersOf(element) }]));
  const starts = flowElementsOf(process).filter((element) => isType(element, "StartEvent"));
  const warnings = starts.flatMap((start) =>
    chosenByVisitors({ startFormRef: formIdOf(start), userTasks }, forms),
  );
  return [...new Set(warnings)];
}
