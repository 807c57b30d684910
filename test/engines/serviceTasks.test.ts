/** Service tasks: what is sent, with which files, and how the process goes on with the answer. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type Answer, type Partner, startPartner } from "../infrastructure/outbound/partner.ts";
import { upload } from "../support/attachments.ts";
import { addon, apiCall, boundaryTimer, end, flow, start, userTask } from "../support/bpmn.ts";
import { until } from "../support/until.ts";
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

test("every type of variable is written into a body as what it is", async () => {
  answer = json({});
  const body =
    '{"l":${long},"d":${double},"b":${flag},"n":${nothing},"j":${json},"t":"${long} ${flag}","when":"${date}"}';
  const call = apiCall("call", { method: "POST", url: `${url}/types`, body });
  const key = await world.deploy([start(), call, end(), flow("start", "call", "end")]);
  const id = await world.start(key, {
    long: { value: 9_007_199_254_740_991, type: "Long" },
    double: { value: 2.5, type: "Double" },
    flag: true,
    nothing: null,
    json: { value: { a: [1, "x"] }, type: "Json" },
    date: { value: "2026-01-23T14:30:00.000+0000", type: "Date" },
  });
  await world.reaches(id, "completed");
  expect(JSON.parse(sentTo("/types")[0]?.body ?? "")).toEqual({
    l: 9_007_199_254_740_991,
    d: 2.5,
    b: true,
    n: null,
    j: { a: [1, "x"] },
    t: "9007199254740991 true",
    when: "2026-01-23T14:30:00.000+0000",
  });
});

test("outside of a body a file is its metadata, and an old file is base64 in a body", async () => {
  answer = json({});
  const call = apiCall("call", {
    method: "POST",
    url: `${url}/old/\${name}`,
    body: '{"old":"${old}"}',
    "header.X-Name": "${name}",
    "query.card": "${card}",
  });
  const key = await world.deploy([start(), call, end(), flow("start", "call", "end")]);
  const card = JSON.stringify(await upload(world.server, { by: world.admin }));
  const old = { value: "aGVsbG8=", type: "File", valueInfo: { filename: "a.txt" } };
  const id = await world.start(key, { card, old, name: "a/b" });
  await world.reaches(id, "completed");
  const [sent] = partner.received.filter((each) => each.url.startsWith("/old/"));
  expect(sent?.url).toStartWith("/old/a%2Fb?");
  expect(sent?.headers).toContainEqual(["x-name", "a/b"]);
  expect(new URL(sent?.url ?? "", url).searchParams.get("card")).toBe(card);
  expect(sent?.body).toBe('{"old":"aGVsbG8="}');
});

test("a secret reaches the receiver, and no variable of the instance", async () => {
  answer = json({});
  const api = await world.server.integration(world.admin);
  const newSecret = { value: "S3cret & more" };
  await api.putSecret({ name: "core", xActiveTenant: world.admin.slug, newSecret });
  const properties = { "header.Authorization": "Bearer ${secret.core}", body: '{"key":"${secret.core}"}' };
  const call = apiCall("call", { method: "POST", url: `${url}/secret`, ...properties });
  const key = await world.deploy([start(), call, end(), flow("start", "call", "end")]);
  const id = await world.start(key);
  await world.reaches(id, "completed");
  const [sent] = sentTo("/secret");
  expect(sent?.headers).toContainEqual(["authorization", "Bearer S3cret & more"]);
  expect(JSON.parse(sent?.body ?? "")).toEqual({ key: "S3cret & more" });
  expect(JSON.stringify([await world.variables(id), world.server.logged])).not.toContain("S3cret");
});

test("an addon gets URLs in its parameters and metadata in its variables", async () => {
  answer = json({ points: 700 });
  const api = await world.server.integration(world.admin);
  const newAddon = { url: `${url}/score` };
  await api.putAddon({ xActiveTenant: world.admin.slug, key: "credit-score", newAddon });
  const score = addon("score", {
    addon: "credit-score",
    parameters: '{"doc":"${card}"}',
    result_variable: "score",
  });
  const key = await world.deploy([start(), score, end(), flow("start", "score", "end")]);
  const card = JSON.stringify(await upload(world.server, { by: world.admin }));
  const id = await world.start(key, { card, amount: 12 });
  await world.reaches(id, "completed");
  const sent = JSON.parse(sentTo("/score")[0]?.body ?? "");
  expect((await fetch(sent.parameters.doc)).status).toBe(200);
  expect(sent.variables).toEqual({ card, amount: 12 });
  expect((await world.variables(id)).score).toMatchObject({ type: "Json", value: '{"points":700}' });
});

test("metadata of a file in an answer is the server's, and a file that is not there is plain data", async () => {
  const card = await upload(world.server, { by: world.admin });
  const gone = { id: crypto.randomUUID(), file_name: "contract.pdf", status: "stored" };
  const cases = [
    {
      given: { ...card, file_name: "forged.pdf", size: 1 },
      kept: card,
      variables: { card: JSON.stringify(card) },
    },
    { given: gone, kept: gone, variables: {} },
  ];
  for (const { given, kept, variables } of cases) {
    answer = json(given);
    const call = apiCall("call", { method: "POST", url, body: "{}", result_variable: "core" });
    const key = await world.deploy([start(), call, end(), flow("start", "call", "end")]);
    const id = await world.start(key, variables);
    await world.reaches(id, "completed");
    expect(JSON.parse(String((await world.variables(id)).core?.value))).toEqual(kept);
  }
});

test("parallel calls of one instance are all sent once, and their join waits for each", async () => {
  answer = json({});
  const names = Array.from({ length: 8 }, (_, n) => `call${n}`);
  const calls = names.map((name) => apiCall(name, { method: "POST", url: `${url}/parallel`, body: "{}" }));
  const gateways = '<parallelGateway id="fork"/><parallelGateway id="join"/>';
  const flows = names.map((name) => flow("fork", name, "join"));
  const parts = [gateways, ...calls, ...flows, flow("start", "fork"), flow("join", "end")];
  const key = await world.deploy([start(), ...parts, end()]);
  const ids = await Promise.all(Array.from({ length: 5 }, () => world.start(key)));
  for (const id of ids) await world.reaches(id, "completed");
  const keys = keysTo("/parallel");
  expect(keys).toHaveLength(40);
  expect(new Set(keys).size).toBe(40);
});

test("a boundary timer cancels a call, and its late answer changes nothing", async () => {
  const release = Promise.withResolvers<void>();
  answer = async (_request, response) => {
    await release.promise;
    response.end('{"late":true}');
  };
  const call = apiCall("call", { method: "POST", url: `${url}/late`, body: "{}", result_variable: "core" });
  const timer = boundaryTimer("late", "call", { after: "PT1S" });
  const flows = [flow("start", "call", "end"), flow("late", "other", "end")];
  const key = await world.deploy([start(), call, timer, userTask("other"), end(), ...flows]);
  const id = await world.start(key);
  const other = await world.task(id, "other");
  expect(sentTo("/late")).toHaveLength(1);
  release.resolve();
  await Bun.sleep(500);
  expect(await world.variables(id)).toEqual({});
  await world.complete(other.task_id);
  await world.reaches(id, "completed");
});

test("what is called is not called again while its answer takes longer than usual", async () => {
  answer = async (_request, response) => {
    await Bun.sleep(8_000);
    response.end("{}");
  };
  const call = apiCall("call", { method: "POST", url: `${url}/slow`, body: "{}", timeout_seconds: "20" });
  const key = await world.deploy([start(), call, end(), flow("start", "call", "end")]);
  const id = await world.start(key);
  await until(async () => (await world.instance(id)).state === "completed", 40);
  expect(sentTo("/slow")).toHaveLength(1);
});
