/** The form while a visitor fills it in, and its way to the server. */
import type { Usage } from "../../../sdk/src/formjs/index.ts";
import { ProblemError } from "../../../sdk/src/index.ts";
import { button, element } from "./element.ts";
import { type Data, type FilledForm, focusFirstFault, showForm, takesFiles } from "./filledForm.ts";
import type { Page } from "./page.ts";
import { wordsFor } from "./texts.ts";
import { isExpired, type Visit } from "./visit.ts";

/** Where the page says what has become of the form. */
interface Message {
  readonly box: HTMLElement;
  say(text: string, action?: HTMLButtonElement): void;
}

interface Filling {
  readonly page: Page;
  readonly visit: Visit;
  readonly message: Message;
}

interface Shown extends Filling {
  readonly form: FilledForm;
}

/** `notice` is why the form is shown again, or empty. */
export async function fillIn(visit: Visit, page: Page, notice: string): Promise<void> {
  const { main, texts, kept } = page;
  const { name, form } = visit.startForm;
  const message = messageBox();
  const left = element("p", { class: "left" });
  const container = element("div", { class: "form" });
  const filling = { page, visit, message };
  main.replaceChildren(element("h1", {}, name), ...(takesFiles(form) ? [left] : []), container, message.box);
  await showForm(visit, {
    container,
    texts,
    kept,
    onUsage: (usage) => left.replaceChildren(whatIsLeft(usage, filling)),
    onRefused: (form, error) => {
      if (isExpired(error)) expire({ ...filling, form });
    },
    onFaults: () => {
      message.say(texts.checkFields);
      requestAnimationFrame(() => focusFirstFault(container));
    },
    onSend: (form, data) => void send(data, { ...filling, form }),
  });
  message.say(notice);
}

function messageBox(): Message {
  const box = element("div", { class: "message", role: "alert", tabindex: "-1" });
  const say = (text: string, action?: HTMLButtonElement) =>
    box.replaceChildren(...(text === "" ? [] : [element("p", {}, text)]), ...(action ? [action] : []));
  return { box, say };
}

function whatIsLeft({ files, bytes }: Usage, { visit, page }: Filling): string {
  const { max_files, max_total_bytes } = visit.startForm.limits;
  return page.texts.left(Math.max(0, max_files - files), Math.max(0, max_total_bytes - bytes));
}

async function send(data: Data, shown: Shown): Promise<void> {
  const { page, visit, message, form } = shown;
  // A form that is disabled cannot be sent a second time.
  form.setDisabled(true);
  message.say(page.texts.sending);
  try {
    await visit.client.formSessions.startPublicProcess({ visitorStart: { variables: variablesOf(data) } });
    form.destroy();
    page.thank();
  } catch (error) {
    await explain(error, shown);
  }
}

const variablesOf = (data: Data) =>
  Object.fromEntries(
    Object.entries(data).flatMap(([name, value]) => (value === undefined ? [] : [[name, { value }]])),
  );

/** The form was not taken, or the answer was lost: sending it again is safe, since a session starts one process. */
async function explain(error: unknown, shown: Shown): Promise<void> {
  const { page, message, form } = shown;
  if (isExpired(error)) return expire(shown);
  if (error instanceof ProblemError && error.code === "not_committed") {
    form.destroy();
    return page.open(page.texts.filesGone);
  }
  form.setDisabled(false);
  message.say(wordsFor(error, page.texts));
  message.box.focus();
}

function expire({ form, page, message }: Shown): void {
  form.setDisabled(true);
  const again = button(page.texts.beginAgain, () => {
    page.kept.forgetToken();
    form.destroy();
    void page.open();
  });
  message.say(page.texts.expired, again);
  again.focus();
}
