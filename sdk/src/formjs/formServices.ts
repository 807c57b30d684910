/** The services of form-js that are used here. Its own types do not describe them. */
import type { Path } from "./paths.ts";
import type { Component } from "./schema.ts";

export interface FieldInstance {
  /** The field's id in the schema. */
  readonly id: string;
  readonly valuePath: Path;
  readonly indexes?: Readonly<Record<string, number>>;
}

export interface SubmitEvent {
  readonly data: Record<string, unknown>;
  readonly errors: Record<string, unknown>;
}

/** A visitor removes a row of a dynamic list; the data changes right after. */
export interface RowRemoval {
  readonly dataPath: Path;
  readonly index: number;
}

export interface FormState {
  readonly data: Record<string, unknown> | null;
  /** The data that a reset restores. */
  readonly initialData: Record<string, unknown> | null;
  readonly schema: Component | null;
}

export interface FormServices {
  /** The options of `createForm`. */
  readonly config: { debounce?: number | boolean };
  readonly eventBus: {
    on(event: string, priority: number, listener: (event: never) => void): void;
    on(event: string, listener: (event: never) => void): void;
    off(event: string, listener: (event: never) => void): void;
    fire(event: string, data?: object): void;
  };
  readonly form: {
    _getState(): FormState;
    _setState(news: Partial<FormState>): void;
    _update(update: Readonly<Record<string, unknown>>): void;
  };
  readonly formFields: { register(type: string, component: unknown): void };
  readonly formFieldInstanceRegistry: { getAllKeyed(): readonly FieldInstance[] };
  readonly formFieldRegistry: { get(id: string): { readonly type: string } | undefined };
}

/** The file fields that are visible. */
export function fileFieldsOf(services: FormServices): readonly FieldInstance[] {
  const { formFieldInstanceRegistry, formFieldRegistry } = services;
  return formFieldInstanceRegistry
    .getAllKeyed()
    .filter(({ id }) => formFieldRegistry.get(id)?.type === "filepicker");
}
