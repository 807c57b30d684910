/** The start form's page: opens a session, shows the form, sends it, and says what went wrong in the visitor's words. */
import "./page.css";
import type { Usage } from "../../../sdk/src/formjs/index.ts";
import { ProblemError } from "../../../sdk/src/index.ts";
import { button, element, heading } from "./element.ts";
import { type FilledForm, focusFirstFault, showForm, takesFiles } from "./filledForm.ts";
import { createKept } from "./kept.ts";
import { textsFor } from "./texts.ts";
import { isExpired, openVisit, type Visit } from "./visit.ts";

const texts = textsFor(navigator.language);
const embedId = decodeURIComponent(location.pathname.split("/").at(-1) ?? "");
const kept = createKept(embedId);
const main = document.querySelector("main") as HTMLElement;
const connection = element("p", { class: "notice", role: "status" });

document.documentElement.lang = texts.language;
document.body.prepend(connection);
const tellConnection = () => connection.replaceChildren(navigator.onLine ? "" : texts.offline);
addEventListener("offline", tellConnection);
addEventListener("online", tellConnection);
tellConnection();
void open();

async function open(): Promise<void> {
  main.replaceChildren(element("p", { role: "status" }, texts.loading));
  try {
    const visit = await openVisit(embedId, kept);
    document.title = visit.startForm.name;
    if (visit.startForm.process_instance_id !== null) showThanks();
    else await showVisit(visit);
  } catch (error) {
    showFailure(error);
  }
}

/** Nothing can be filled in: why, and what can be done. */
function showFailure(error: unknown): void {
  const gone = error instanceof ProblemError && (error.status === 404 || error.status === 501);
  const title = heading(gone ? texts.notAvailable : wordsFor(error));
  main.replaceChildren(title, ...(gone ? [] : [button(texts.again, () => void open())]));
  title.focus();
}

async function showVisit(visit: Visit): Promise<void> {
  const { name, form, limits } = visit.startForm;
  const message = element("div", { class: "message", role: "alert", tabindex: "-1" });
  const left = element("p", { class: "left" });
  const container = element("div", { class: "form" });
  main.replaceChildren(element("h1", {}, name), ...(takesFiles(form) ? [left] : []), container, message);
  let filled: FilledForm | undefined;
  const say = (text: string, action?: HTMLButtonElement) => {
    message.replaceChildren(...(text === "" ? [] : [element("p", {}, text)]), ...(action ? [action] : []));
  };
  const expire = () => {
    filled?.setDisabled(true);
    const again = button(texts.beginAgain, () => {
      kept.forgetToken();
      filled?.destroy();
      void open();
    });
    say(texts.expired, again);
    again.focus();
  };
  const send = async (data: Record<string, unknown>) => {
    filled?.setDisabled(true);
    say(texts.sending);
    try {
      await visit.client.formSessions.startPublicProcess({ visitorStart: { variables: variablesOf(data) } });
      filled?.destroy();
      showThanks();
    } catch (error) {
      await refused(error);
    }
  };
  const refused = async (error: unknown) => {
    if (isExpired(error)) return expire();
    filled?.setDisabled(false);
    if (error instanceof ProblemError && error.code === "not_committed") {
      filled?.destroy();
      await open();
      main.querySelector(".message")?.replaceChildren(element("p", {}, texts.filesGone));
      return;
    }
    say(wordsFor(error));
    message.focus();
  };
  filled = await showForm(visit, {
    container,
    texts,
    kept,
    onUsage: ({ files, bytes }: Usage) => {
      const room = [limits.max_files - files, limits.max_total_bytes - bytes].map((free) =>
        Math.max(0, free),
      );
      left.textContent = texts.left(room[0] ?? 0, room[1] ?? 0);
    },
    onRefused: (error) => {
      if (isExpired(error)) expire();
    },
    onFaults: () => {
      say(texts.checkFields);
      requestAnimationFrame(() => focusFirstFault(container));
    },
    onSend: (data) => void send(data),
  });
  if (visit.afterExpiry) say(texts.expiredBefore);
}

function showThanks(): void {
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

const variablesOf = (data: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(data).flatMap(([name, value]) => (value === undefined ? [] : [[name, { value }]])),
  );

function wordsFor(error: unknown): string {
  if (!(error instanceof ProblemError)) return texts.unreachable;
  if (error.code === "rate_limited") return texts.tooMany(error.retryAfterSeconds ?? 60);
  return error.status >= 500 ? texts.serverFault : texts.failed;
}
