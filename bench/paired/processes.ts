/** A process of one user task, as an administrator deploys it and a member works with it. */
import { sendAs } from "../attachments/requests.ts";

const key = "loan_review";
const model = `<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
  targetNamespace="bench">
  <process id="${key}" isExecutable="true">
    <startEvent id="start"/>
    <sequenceFlow id="f1" sourceRef="start" targetRef="review"/>
    <userTask id="review"/>
    <sequenceFlow id="f2" sourceRef="review" targetRef="decision"/>
    <exclusiveGateway id="decision" default="f4"/>
    <sequenceFlow id="f3" sourceRef="decision" targetRef="yes">
      <conditionExpression xsi:type="tFormalExpression">\${amount &gt; 1000}</conditionExpression>
    </sequenceFlow>
    <sequenceFlow id="f4" sourceRef="decision" targetRef="no"/>
    <endEvent id="yes"/>
    <endEvent id="no"/>
  </process>
</definitions>`;

export async function deployReview(server: string): Promise<void> {
  const body = new FormData();
  body.set("bpmn", new Blob([model], { type: "application/xml" }), "review.bpmn");
  await sendAs("admin_sop", `${server}/api/v1/probis/process-definitions`, { method: "POST", body });
}

const json = (value: unknown) => ({
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(value),
});

export async function startInstance(server: string): Promise<string> {
  const variables = { applicant: { value: "Siti Rahma" }, amount: { value: 20_000 } };
  const init = json({ process_key: key, variables });
  const response = await sendAs("member", `${server}/api/v1/probis/process-instances`, init);
  return ((await response.json()) as { process_instance_id: string }).process_instance_id;
}

export async function completeInstance(server: string): Promise<void> {
  const id = await startInstance(server);
  const tasks = `${server}/api/v1/tasklist/tasks`;
  const found = await sendAs("member", `${tasks}?process_instance_id=${id}`, {});
  const [task] = (await found.json()) as { task_id: string }[];
  await sendAs(
    "member",
    `${tasks}/${task?.task_id}/complete`,
    json({ variables: { approved: { value: true } } }),
  );
}
