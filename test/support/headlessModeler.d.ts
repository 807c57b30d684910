declare module "bpmn-js-element-templates/core" {
  /** A module of bpmn-js. */
  export const ElementTemplatesCoreModule: object;
}

declare module "bpmn-js-headless/lib/Modeler" {
  export interface BusinessObject {
    readonly $type: string;
    readonly name?: string;
    get<T>(property: string): T;
  }

  export interface DiagramElement {
    readonly businessObject: BusinessObject;
  }

  interface Services<Template> {
    eventBus: { on(event: string, listener: (event: { readonly errors: readonly unknown[] }) => void): void };
    elementRegistry: { get(id: string): DiagramElement | undefined };
    elementTemplates: {
      applyTemplate(element: DiagramElement, template: Template): void;
      get(element: DiagramElement): Template | null;
    };
    elementTemplatesLoader: { setTemplates(templates: readonly Template[]): void };
    modeling: {
      updateModdleProperties(element: DiagramElement, object: BusinessObject, values: object): void;
    };
    bpmnFactory: { create(type: string, values: object): BusinessObject };
  }

  export default class Modeler<Template> {
    constructor(options: {
      readonly additionalModules: readonly object[];
      readonly moddleExtensions: object;
    });
    importXML(xml: string): Promise<{ readonly warnings: readonly unknown[] }>;
    saveXML(options: { readonly format: boolean }): Promise<{ readonly xml: string }>;
    get<Name extends keyof Services<Template>>(name: Name): Services<Template>[Name];
  }
}
