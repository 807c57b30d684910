/** Camunda Modeler's own code without a window: applies element templates to a model and fills in their fields. */
import { ElementTemplatesCoreModule } from "bpmn-js-element-templates/core";
import Modeler, { type BusinessObject, type DiagramElement } from "bpmn-js-headless/lib/Modeler";
import camunda from "camunda-bpmn-moddle/resources/camunda.json" with { type: "json" };

export interface ElementTemplate {
  readonly id: string;
  readonly properties: readonly {
    readonly label?: string;
    readonly type: string;
    readonly value?: string;
    readonly binding: { readonly type: string; readonly name: string };
    readonly choices?: readonly { readonly name: string; readonly value: string }[];
  }[];
}

/** What a person does with an element in the properties panel. */
export interface Panel {
  applyTemplate(template: ElementTemplate): void;
  /** Types a value into the field with this label, or takes the choice with this name. */
  fill(label: string, value: string): void;
  addProperty(name: string, value: string): void;
}

export interface Drawing {
  select(elementId: string): Panel;
  save(): Promise<string>;
}

/** Labels are measured in a window. Here they stay as large as they are. */
const textRenderer = { getExternalLabelBounds: (bounds: unknown) => bounds };

/** Throws if the modeler refuses the model or a template. */
export async function openModel(xml: string, templates: readonly ElementTemplate[]): Promise<Drawing> {
  const modeler = new Modeler<ElementTemplate>({
    additionalModules: [ElementTemplatesCoreModule, { textRenderer: ["value", textRenderer] }],
    moddleExtensions: { camunda },
  });
  const { warnings } = await modeler.importXML(xml);
  const errors: unknown[] = [...warnings];
  modeler.get("eventBus").on("elementTemplates.errors", (event) => errors.push(...event.errors));
  modeler.get("elementTemplatesLoader").setTemplates(templates);
  if (errors.length > 0) throw new Error(`the modeler refused: ${errors.join(" ")}`);
  return {
    select: (id) => panelOf(modeler, id),
    save: async () => (await modeler.saveXML({ format: true })).xml,
  };
}

function panelOf(modeler: Modeler<ElementTemplate>, id: string): Panel {
  // Applying a template replaces the element by one of another type.
  const element = (): DiagramElement => {
    const found = modeler.get("elementRegistry").get(id);
    if (!found) throw new Error(`the model has no element ${id}`);
    return found;
  };
  const templates = modeler.get("elementTemplates");
  const update = (object: BusinessObject, values: object) =>
    modeler.get("modeling").updateModdleProperties(element(), object, values);
  return {
    applyTemplate: (template) => templates.applyTemplate(element(), template),
    fill: (label, value) => {
      const field = templates.get(element())?.properties.find((property) => property.label === label);
      const property = propertiesOf(element())
        .get<BusinessObject[]>("values")
        .find(({ name }) => name === field?.binding.name);
      if (!field || !property) throw new Error(`${id} has no field "${label}"`);
      const chosen = field.choices?.find(({ name }) => name === value);
      if (field.choices && !chosen) throw new Error(`"${label}" has no choice "${value}"`);
      update(property, { value: chosen?.value ?? value });
    },
    addProperty: (name, value) => {
      const list = propertiesOf(element());
      const property = modeler.get("bpmnFactory").create("camunda:Property", { name, value });
      update(list, { values: [...list.get<BusinessObject[]>("values"), property] });
    },
  };
}

function propertiesOf({ businessObject }: DiagramElement): BusinessObject {
  const list = businessObject
    .get<BusinessObject>("extensionElements")
    .get<BusinessObject[]>("values")
    .find(({ $type }) => $type === "camunda:Properties");
  if (!list) throw new Error("the element has no properties");
  return list;
}
