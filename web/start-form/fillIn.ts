/** The form while a visitor fills it in and sends it. */
import type { Usage } from "../../sdk/src/formjs/index.ts";
import { ProblemError } from "../../sdk/src/index.ts";
import { button, element } from "./element.ts";
import { type Data, type FilledForm, focusFirstFault, showForm, takesFiles } from "./filledForm.ts";
import type { Page } from "./page.ts";
import { createSend, type Send } from "./send.ts";
import { isEmbedDeleted, isExpired, isFormChanged, type Session } from "./session.ts";
import { errorText } from "./texts.ts";

/** The place where the page says what happened to the form. */
interface Message {
  readonly box: HTMLElement;
  show(text: string, action?: HTMLButtonElement): void;
}

interface Filling {
  readonly page: Page;
  readonly session: Session;
  readonly message: Message;
}

interface Shown extends Filling {
  readonly send: Send;
  readonly form: FilledForm;
}

/** `notice` says why the form is shown again. It may be empty. */
export async function fillIn(session: Session, page: Page, notice: string): Promise<void> {
  const { main, texts, draftStorage } = page;
  const { name, form } = session.startForm;
  const message = messageBox();
  const left = element("p", { class: "left" });
  const container = element("div", { class: "form" });
  const filling = { page, session, message, send: createSend(session) };
  main.replaceChildren(element("h1", {}, name), ...(takesFiles(form) ? [left] : []), container, message.box);
  await showForm(session, {
    container,
    texts,
    draftStorage,
    onUsage: (usage) => left.replaceChildren(roomLeft(usage, filling)),
    onRefused: (form, error) => {
      if (isExpired(error)) void expire({ ...filling, form });
    },
    onFaults: () => {
      message.show(texts.checkFields);
      requestAnimationFrame(() => focusFirstFault(container));
    },
    onSend: (form, data) => void sendForm(data, { ...filling, form }),
  });
  message.show(notice);
}

function messageBox(): Message {
  const box = element("div", { class: "message", role: "alert", tabindex: "-1" });
  const show = (text: string, action?: HTMLButtonElement) =>
    box.replaceChildren(...(text === "" ? [] : [element("p", {}, text)]), ...(action ? [action] : []));
  return { box, show };
}

function roomLeft({ files, bytes }: Usage, { session, page }: Filling): string {
  const { max_files, max_total_bytes } = session.startForm.limits;
  return page.texts.left(Math.max(0, max_files - files), Math.max(0, max_total_bytes - bytes));
}

async function sendForm(data: Data, shown: Shown): Promise<void> {
  const { page, message, form, send } = shown;
  // A disabled form cannot be sent a second time.
  form.setDisabled(true);
  message.show(page.texts.sending);
  try {
    const outcome = await send(data);
    form.destroy();
    if (outcome === "sent") page.showThanks();
    else page.showSentBefore();
  } catch (error) {
    await explain(error, shown);
  }
}

/** Shows why the form was probably not accepted, and what the visitor can do. */
async function explain(error: unknown, shown: Shown): Promise<void> {
  const { page, session, message, form } = shown;
  if (isExpired(error)) return expire(shown);
  const code = error instanceof ProblemError ? error.code : undefined;
  if (code === "not_committed") return openAgain(shown, page.texts.filesGone);
  form.setDisabled(false);
  if (code === "invalid_variable" && (await isFormChanged(session))) {
    const again = button(page.texts.loadAgain, () => openAgain(shown, page.texts.checkAgain));
    message.show(page.texts.formChanged, again);
    again.focus();
  } else {
    message.show(errorText(error, page.texts));
    message.box.focus();
  }
}

function openAgain({ form, page }: Shown, notice = ""): void {
  form.destroy();
  void page.open(notice);
}

async function expire(shown: Shown): Promise<void> {
  const { form, page, message } = shown;
  form.setDisabled(true);
  if (await isEmbedDeleted()) {
    form.destroy();
    return page.showNotAvailable();
  }
  const again = button(page.texts.beginAgain, () => {
    page.draftStorage.forgetToken();
    openAgain(shown);
  });
  message.show(page.texts.expired, again);
  again.focus();
}
