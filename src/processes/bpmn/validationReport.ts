import type { Element } from "./elements.ts";

/** Receives the findings about elements. */
export interface ValidationReport {
  fault(element: Element, detail: string): void;
  warning(element: Element, detail: string): void;
}
