/** Service tasks: what is sent, with which files, and how the process goes on with the answer. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type Answer, type Partner, startPartner } from "../infrastructure/outbound/partner.ts";
import { upload } from "../support/attachments.ts";
import { apiCall, end, flow, start } from "../support/bpmn.ts";
import { expected } from "./differences.ts";
import { startWorld, type World } from "./world.ts";

setDefaultTimeout(60_000);
let world: World;
let partner: Partner;
let url: string;
let answer: Answer;
beforeAll(async () => {
  world = await startWorld();
  partner = await startPartner((...exchange) => answer(...exchange));
  url = `http://127.0.0.1:${partner.port}`;
});
afterAll(async () => {
  await partner.stop();
  await world.stop();
});

const json =
  (body: unknown, status = 200): Answer =>
  (_, response) =>
    void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

/** The requests to this path. */
const sentTo = (path: string) => partner.received.filter((each) => each.url === path);
const keysTo = (path: string) =>
  sentTo(path).map(({ headers }) => headers.find(([name]) => name === "idempotency-key")?.[1] ?? "");

test("an API call sends each occurrence its own URL, which works once, and goes on with the answer", async () => {
  answer = json({ reference: "CORE-1", amount: 12.5 });
  const body = '{ "who": "${who}", "first": "${card}", "again": "${card}", "amount": ${amount} }';
  const call = apiCall("call", { method: "POST", url: `${url}/loans`, body, result_variable: "core" });
  const key = await world.deploy([start(), call, end(), flow("start", "call", "end")]);
  const metadata = await upload(world.server, { by: world.admin });
  const variables = { who: 'Jane "J" Doe', card: JSON.stringify(metadata), amount: 20_000 };
  const id = await world.start(key, variables);
  await world.reaches(id, "completed");
  expect(sentTo("/loans")).toHaveLength(1);
  const sent = JSON.parse(sentTo("/loans")[0]?.body ?? "");
  expect(sent).toMatchObject({ who: 'Jane "J" Doe', amount: 20_000 });
  expect(sent.first).not.toBe(sent.again);
  for (const link of [sent.first, sent.again]) {
    expect((await fetch(link)).status).toBe(200);
    expect((await fetch(link)).status).toBe(401);
  }
  const { core } = await world.variables(id);
  expect(core?.type).toBe("Json");
  expect(JSON.parse(String(core?.value))).toEqual({ reference: "CORE-1", amount: 12.5 });
  expect(keysTo("/loans")).toEqual([
    expected("idempotency key", { usual: `${id}:call:1`, different: expect.stringContaining(id) }),
  ]);
});
