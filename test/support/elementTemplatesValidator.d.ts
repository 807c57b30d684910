declare module "@bpmn-io/element-templates-validator" {
  /** Checks a template against the JSON schema of Camunda Modeler's format. */
  export function validate(template: unknown): {
    readonly valid: boolean;
    readonly errors: readonly object[] | null;
  };
}
