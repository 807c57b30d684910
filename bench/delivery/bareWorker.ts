/**
 * The baseline beside an engine, a process of its own: fetches external tasks of the topic `bare`, posts the same bodies
 * as Waybill, and completes them. It keeps no record, so it would send twice after a crash.
 */
const { ENGINE: engine = "", RECEIVER: receiver = "" } = process.env;
const workerId = `bare-${process.pid}`;
const atOnce = 64;

interface Task {
  readonly id: string;
  readonly variables: Readonly<Record<"applicant" | "card", { readonly value: string }>>;
}

Bun.serve({ port: Number(process.env.PORT), hostname: "127.0.0.1", fetch: () => new Response() });

const post = (url: string, body: unknown) =>
  fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });

async function carryOut({ id, variables }: Task): Promise<void> {
  const { applicant, card } = variables;
  const answer = await post(receiver, { applicant: applicant.value, card: card.value });
  const core = { type: "Json", value: await answer.text() };
  const completed = await post(`${engine}/external-task/${id}/complete`, { workerId, variables: { core } });
  if (!completed.ok) console.error(await completed.text());
}

let running = 0;
let freed = Promise.withResolvers<void>();
for (;;) {
  if (running >= atOnce) await freed.promise;
  const topics = [{ topicName: "bare", lockDuration: 60_000, variables: ["applicant", "card"] }];
  const options = { workerId, maxTasks: atOnce - running, asyncResponseTimeout: 20_000, topics };
  const answer = await post(`${engine}/external-task/fetchAndLock`, options);
  if (!answer.ok) continue;
  for (const task of (await answer.json()) as Task[]) {
    running++;
    void carryOut(task).finally(() => {
      running--;
      freed.resolve();
      freed = Promise.withResolvers();
    });
  }
}
