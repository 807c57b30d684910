/** What the modules of the page share. */
import type { DraftStorage } from "./draftStorage.ts";
import type { Texts } from "./texts.ts";

export interface Page {
  readonly main: HTMLElement;
  readonly texts: Texts;
  readonly draftStorage: DraftStorage;
  /** Begins or resumes the visitor's session and shows its state. `notice` says why the form is shown again. */
  open(notice?: string): Promise<void>;
  /** Says that the form was sent. */
  showThanks(): void;
  /** Says that another version of the form was sent earlier. */
  showSentBefore(): void;
  showNotAvailable(): void;
}
