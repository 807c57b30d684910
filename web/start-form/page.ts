/** What the parts of the page share. */
import type { Kept } from "./kept.ts";
import type { Texts } from "./texts.ts";

export interface Page {
  readonly main: HTMLElement;
  readonly texts: Texts;
  readonly kept: Kept;
  /** Begins, or goes on with, the visitor's session and shows where it stands, with a notice about how it came to that. */
  open(notice?: string): Promise<void>;
  /** Says that the form was sent. */
  thank(): void;
  /** Says that something else was sent before. */
  tellSentBefore(): void;
  tellNotAvailable(): void;
}
