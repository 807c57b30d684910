/** The start form's page: which form, in which language, and what is shown of it. */
import "./page.css";
import { ProblemError } from "../../sdk/src/index.ts";
import { button, element, heading } from "./element.ts";
import { fillIn } from "./fillIn.ts";
import { createKept } from "./kept.ts";
import type { Page } from "./page.ts";
import { textsFor, wordsFor } from "./texts.ts";
import { openVisit } from "./visit.ts";

const texts = textsFor(navigator.language);
const embedId = decodeURIComponent(location.pathname.split("/").at(-1) ?? "");
const kept = createKept(embedId);
const main = document.querySelector("main") as HTMLElement;
const page: Page = { main, texts, kept, open, thank, tellSentBefore, tellNotAvailable };

document.documentElement.lang = texts.language;
tellConnection();
void open();

async function open(notice = ""): Promise<void> {
  main.replaceChildren(element("p", { role: "status" }, texts.loading));
  try {
    const visit = await openVisit(embedId, kept);
    document.title = visit.startForm.name;
    if (visit.startForm.process_instance_id === null)
      await fillIn(visit, page, visit.afterExpiry ? texts.expiredBefore : notice);
    else if (Object.keys(kept.typed()).length === 0) thank();
    else tellSentBefore();
  } catch (error) {
    showFailure(error);
  }
}

/** Nothing can be filled in: why, and what can be done. */
function showFailure(error: unknown): void {
  if (error instanceof ProblemError && [404, 501].includes(error.status)) tellNotAvailable();
  else end(wordsFor(error, texts), [button(texts.again, () => void open())]);
}

function tellNotAvailable(): void {
  end(texts.notAvailable, []);
}

function thank(): void {
  // The token stays, so that a reload says thank you once more and sends nothing.
  kept.keepTyped({});
  end(texts.thanks, [element("p", {}, texts.sent), anotherForm()]);
}

/** What was typed stays, so that a reload says this once more. */
function tellSentBefore(): void {
  end(texts.sentBefore, [element("p", {}, texts.changesNotSent), anotherForm()]);
}

function anotherForm(): HTMLButtonElement {
  return button(texts.another, () => {
    kept.forgetAll();
    void open();
  });
}

/** Takes the place of everything. */
function end(text: string, more: readonly HTMLElement[]): void {
  const title = heading(text);
  main.replaceChildren(title, ...more);
  title.focus();
}

function tellConnection(): void {
  const notice = element("p", { class: "notice", role: "status" });
  const tell = () => notice.replaceChildren(navigator.onLine ? "" : texts.offline);
  document.body.prepend(notice);
  addEventListener("offline", tell);
  addEventListener("online", tell);
  tell();
}
