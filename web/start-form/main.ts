/** The start form's page: which form it is, in which language, and what the visitor sees first. */
import "./page.css";
import { ProblemError } from "../../sdk/src/index.ts";
import { createDraftStorage } from "./draftStorage.ts";
import { button, element, heading } from "./element.ts";
import { fillIn } from "./fillIn.ts";
import type { Page } from "./page.ts";
import { openSession } from "./session.ts";
import { errorText, textsFor } from "./texts.ts";

const texts = textsFor(navigator.language);
const embedId = decodeURIComponent(location.pathname.split("/").at(-1) ?? "");
const draftStorage = createDraftStorage(embedId);
const main = document.querySelector("main") as HTMLElement;
const page: Page = { main, texts, draftStorage, open, showThanks, showSentBefore, showNotAvailable };

document.documentElement.lang = texts.language;
watchConnection();
void open();

async function open(notice = ""): Promise<void> {
  main.replaceChildren(element("p", { role: "status" }, texts.loading));
  try {
    const session = await openSession(embedId, draftStorage);
    document.title = session.startForm.name;
    if (session.startForm.process_instance_id === null)
      await fillIn(session, page, session.afterExpiry ? texts.expiredBefore : notice);
    else if (Object.keys(draftStorage.typed()).length === 0) showThanks();
    else showSentBefore();
  } catch (error) {
    showFailure(error);
  }
}

/** The form cannot be shown: says why, and what the visitor can do. */
function showFailure(error: unknown): void {
  if (error instanceof ProblemError && [404, 501].includes(error.status)) showNotAvailable();
  else showEnd(errorText(error, texts), [button(texts.again, () => void open())]);
}

function showNotAvailable(): void {
  showEnd(texts.notAvailable, []);
}

function showThanks(): void {
  // The token stays, so that a reload shows this page again and sends nothing.
  draftStorage.saveTyped({});
  showEnd(texts.thanks, [element("p", {}, texts.sent), anotherForm()]);
}

/** The typed data stays, so that a reload shows this page again. */
function showSentBefore(): void {
  showEnd(texts.sentBefore, [element("p", {}, texts.changesNotSent), anotherForm()]);
}

function anotherForm(): HTMLButtonElement {
  return button(texts.another, () => {
    draftStorage.forgetAll();
    void open();
  });
}

/** Replaces the whole page. */
function showEnd(text: string, more: readonly HTMLElement[]): void {
  const title = heading(text);
  main.replaceChildren(title, ...more);
  title.focus();
}

/** Shows a notice while the browser is offline. */
function watchConnection(): void {
  const notice = element("p", { class: "notice", role: "status" });
  const update = () => notice.replaceChildren(navigator.onLine ? "" : texts.offline);
  document.body.prepend(notice);
  addEventListener("offline", update);
  addEventListener("online", update);
  update();
}
