/**
 * A sequence flow whose discard ends where it begins, and that is looked along once.
 *
 * bpmn-elements 17 publishes a discard along every path that is not taken, because its joins count them. Ours do not
 * (parallelGateway.ts). Every gateway doubles the paths: thirteen of them in a row took 13 seconds. Where a process has
 * an element that nothing leads to, it also walks along every path to learn which end the element leads to ("shake").
 */
import { SequenceFlow as LibraryFlow } from "bpmn-elements/flows";

type Content = Readonly<Record<string, unknown>>;

interface Flow {
  _publishEvent(action: "looped", content: Content): void;
  discard(content?: Content): void;
  shake(message: { readonly content: { readonly id: string } }): void;
}

export class SequenceFlow extends (LibraryFlow as unknown as new (...given: unknown[]) => Flow) {
  /** The elements that were looked for from here, by their ids. */
  readonly #shaken = new Set<string>();

  /** The event by which the library says that nothing more comes of a flow. */
  override discard(content: Content = {}): void {
    this._publishEvent("looped", content);
  }

  override shake(message: { readonly content: { readonly id: string } }): void {
    const { id } = message.content;
    if (this.#shaken.has(id)) return;
    this.#shaken.add(id);
    super.shake(message);
  }
}
