/** The start form's page: which form, in which language, and what is shown of it. */
import "./page.css";
import { ProblemError } from "../../../sdk/src/index.ts";
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
const page: Page = { main, texts, kept, open, thank };

document.documentElement.lang = texts.language;
tellConnection();
void open();

async function open(notice = ""): Promise<void> {
  main.replaceChildren(element("p", { role: "status" }, texts.loading));
  try {
    const visit = await openVisit(embedId, kept);
    document.title = visit.startForm.name;
    if (visit.startForm.process_instance_id !== null) thank();
    else await fillIn(visit, page, visit.afterExpiry ? texts.expiredBefore : notice);
  } catch (error) {
    showFailure(error);
  }
}

/** Nothing can be filled in: why, and what can be done. */
function showFailure(error: unknown): void {
  const gone = error instanceof ProblemError && [404, 501].includes(error.status);
  const title = heading(gone ? texts.notAvailable : wordsFor(error, texts));
  main.replaceChildren(title, ...(gone ? [] : [button(texts.again, () => void open())]));
  title.focus();
}

function thank(): void {
  const title = heading(texts.thanks);
  const another = button(texts.another, () => {
    kept.forgetAll();
    void open();
  });
  // The token stays, so that a reload says thank you once more and sends nothing.
  kept.keepTyped({});
  main.replaceChildren(title, element("p", {}, texts.sent), another);
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
