/** The processes of a trial: plain calls, a call with a file, a user task, a timer, a visitor's form. */
import { apiCall, end, flow, model, start, userTask } from "../../../support/bpmn.ts";

export interface Model {
  readonly key: string;
  readonly bpmn: string;
  readonly form?: object;
}

/** Longer than a slow answer of the receiver takes. */
const timeoutSeconds = 16;
/** Longer than any pause of a process. */
const patientSeconds = 32;

export function modelsFor(receiver: number): readonly Model[] {
  const post = (id: string, body: string, seconds = timeoutSeconds) =>
    apiCall(id, {
      method: "POST",
      url: `http://127.0.0.1:${receiver}/${id}`,
      body,
      timeout_seconds: String(seconds),
    });
  const amount = '{"amount":${amount}}';
  const card = '{"card":"${card}"}';
  const timer =
    '<intermediateCatchEvent id="wait"><timerEventDefinition id="wait_d">' +
    "<timeDuration>PT3S</timeDuration></timerEventDefinition></intermediateCatchEvent>";
  const line = (key: string, parts: string[], ids: string[], attributes = "") =>
    model(key, [start("start", attributes), ...parts, end(), flow("start", ...ids, "end")].join("\n"));
  const form = {
    id: "visit",
    components: [
      { type: "textfield", key: "name" },
      { type: "filepicker", key: "card" },
    ],
  };
  return [
    {
      key: "payment",
      bpmn: line(
        "payment",
        [post("charge", amount, patientSeconds), post("notify", amount)],
        ["charge", "notify"],
      ),
    },
    { key: "filing", bpmn: line("filing", [post("file", card)], ["file"]) },
    {
      key: "approval",
      bpmn: line("approval", [userTask("review"), post("book", amount)], ["review", "book"]),
    },
    { key: "reminder", bpmn: line("reminder", [timer, post("remind", amount)], ["wait", "remind"]) },
    { key: "visit", bpmn: line("visit", [post("apply", card)], ["apply"], 'camunda:formRef="visit"'), form },
  ];
}
