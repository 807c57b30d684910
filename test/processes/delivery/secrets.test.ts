/** `${secret.NAME}` in service tasks: it reaches the receiver, and nobody else. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Answer } from "../../infrastructure/outbound/partner.ts";
import { member, upload } from "../../support/attachments.ts";
import { addon, end, flow, model, oneCall, type Properties, start } from "../../support/bpmn.ts";
import {
  allowLoopback,
  deploy,
  freshKey,
  incidentOf,
  reaches,
  rerun,
  startInstance,
} from "../../support/processes.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { refusal } from "../../support/tables.ts";
import { answering, headerOf, onlyRequest, withReceiver } from "./runs.ts";

setDefaultTimeout(60_000);
let server: TestServer;
beforeAll(async () => {
  server = await startServer({ environment: allowLoopback });
});
afterAll(() => server.stop());

const put = async (name: string, value: string, tenant = 1) =>
  (await server.integration({ tenant })).putSecret({
    name,
    xActiveTenant: `tenant-${tenant}`,
    newSecret: { value },
  });

const begin = async (properties: Properties, variables: Record<string, unknown> = {}) => {
  const key = freshKey();
  await deploy(server, oneCall(key, properties));
  return (await startInstance(server, key, { variables })).process_instance_id;
};

const variablesOf = async (id: string) =>
  (await server.processes()).getProcessVariables({ xActiveTenant: "tenant-1", processInstanceId: id });

/** Everything that anyone but the receiver could read. */
async function traces(id: string): Promise<string> {
  const incidents = await server.sql`select * from waybill.incidents where process_instance_id = ${id}`;
  const tasks = await server.sql`select * from waybill.service_tasks where process_instance_id = ${id}`;
  const stored = await server.sql`select * from waybill.process_variables where process_instance_id = ${id}`;
  const trail = await server.sql`select * from tenant_1._audit`;
  return JSON.stringify([incidents, tasks, stored, trail, await variablesOf(id), server.logged]);
}

const awkward = `S3cret "&<'>]\\/ ü%2B+${"=".repeat(3)} \${amount}`;

test("a secret is written in headers, URL and body like any value, and never read as a template", async () => {
  await put("awkward", awkward);
  await withReceiver(async (receiver) => {
    const id = await begin(
      {
        method: "POST",
        url: `${receiver.url}/\${secret.awkward}/x`,
        "query.key": "${secret.awkward}",
        "header.Authorization": "Bearer ${secret.awkward}",
        body: '{"key":"${secret.awkward}","whole":${secret.awkward},"amount":${amount}}',
      },
      { amount: 5 },
    );
    await reaches(server, id, "completed");
    const request = onlyRequest(receiver);
    const url = new URL(request.url, "http://x.example");
    expect(decodeURIComponent(url.pathname)).toBe(`/${awkward}/x`);
    expect(url.searchParams.get("key")).toBe(awkward);
    expect(headerOf(request, "authorization")).toEqual([`Bearer ${awkward}`]);
    expect(JSON.parse(request.body)).toEqual({ key: awkward, whole: awkward, amount: 5 });
    expect(await traces(id)).not.toContain("S3cret");
  });
});

test("an addon receives a secret in its parameters, and not among its variables", async () => {
  await put("addon", "S3cret-of-addon");
  await withReceiver(async (receiver) => {
    const api = await server.integration();
    await api.putAddon({ xActiveTenant: "tenant-1", key: "scored", newAddon: { url: receiver.url } });
    const key = freshKey();
    const task = addon("score", { addon: "scored", parameters: '{"key":"${secret.addon}"}' });
    await deploy(server, model(key, [start(), task, end(), flow("start", "score", "end")].join("\n")));
    const { process_instance_id: id } = await startInstance(server, key, { variables: { amount: 1 } });
    await reaches(server, id, "completed");
    expect(JSON.parse(onlyRequest(receiver).body)).toEqual({
      parameters: { key: "S3cret-of-addon" },
      variables: { amount: 1 },
    });
  });
});

test("a missing secret is an incident that names it, and a rerun sends it once it is set", async () => {
  await put("later", "other tenant's", 2);
  await withReceiver(async (receiver) => {
    const id = await begin({ method: "POST", url: receiver.url, body: '{"a":"${secret.later}"}' });
    const incident = await incidentOf(server, id);
    expect(incident).toMatchObject({ type: "secret_not_found", request_sent: "no" });
    expect(incident.message).toContain("${secret.later}");
    expect(receiver.received).toEqual([]);
    await put("later", "own");
    await rerun(server, incident.incident_id);
    await reaches(server, id, "completed");
    expect(onlyRequest(receiver).body).toBe('{"a":"own"}');
  });
});

test("no variable replaces a secret: the name is refused, and an existing one is not read", async () => {
  const start = begin({ method: "GET", url: "http://127.0.0.1:1/" }, { "secret.shadow": "mine" });
  expect(await refusal(start)).toMatchObject({ status: 400, code: "invalid_variable" });
  const call = { method: "POST", url: "http://127.0.0.1:1/", body: "{}", result_variable: "secret.shadow" };
  expect(await refusal(begin(call))).toMatchObject({ status: 400, code: "invalid_bpmn" });
  await withReceiver(async (receiver) => {
    const id = await begin({ method: "POST", url: receiver.url, body: '"${secret.shadow}"' });
    const { incident_id } = await incidentOf(server, id);
    // As version 0.2 could store it.
    await server.sql`
      insert into waybill.process_variables (process_instance_id, name, type, value)
      values (${id}, 'secret.shadow', 'String', '"mine"')`;
    await rerun(server, incident_id);
    for (let left = 200; (await incidentOf(server, id)).incident_id === incident_id; left--) {
      if (left === 0) throw new Error("there is no second incident");
      await Bun.sleep(20);
    }
    expect(await incidentOf(server, id)).toMatchObject({ type: "secret_not_found" });
    expect(receiver.received).toEqual([]);
  });
});

test("a secret that looks like the metadata of a file is text, and no URL is issued for it", async () => {
  const metadata = JSON.stringify(await upload(server));
  await put("metadata", metadata);
  await withReceiver(async (receiver) => {
    const id = await begin({ method: "POST", url: receiver.url, body: '{"a":"${secret.metadata}"}' });
    await reaches(server, id, "completed");
    expect(JSON.parse(onlyRequest(receiver).body)).toEqual({ a: metadata });
  });
});

describe("a receiver that repeats the secret", () => {
  const forms = [
    (value: string) => value,
    JSON.stringify,
    encodeURIComponent,
    (value: string) => encodeURIComponent(value).replaceAll(/%../g, (triplet) => triplet.toLowerCase()),
    (value: string) => new URLSearchParams({ value }).toString(),
    (value: string) => Buffer.from(value).toString("base64"),
    (value: string) => Buffer.from(value).toString("hex"),
    (value: string) =>
      value
        .replaceAll("&", "&amp;")
        .replaceAll("<", "&lt;")
        .replaceAll(">", "&gt;")
        .replaceAll('"', "&quot;")
        .replaceAll("'", "&apos;"),
  ];
  const repeated = forms.map((form) => form(awkward));

  const told = (text: string) => {
    for (const form of [...repeated, "S3cret"]) expect(text).not.toContain(form);
  };

  test("in a refusal: the incident has [secret] in its place", async () => {
    await put("awkward", awkward);
    for (const form of repeated) {
      const answer = answering(422, "text/plain", `no: ${form}!`);
      await withReceiver(
        async ({ url }) => {
          const id = await begin({ method: "POST", url, body: '{"a":"${secret.awkward}"}' });
          const { message } = await incidentOf(server, id);
          expect(message).toContain("[secret]");
          told(await traces(id));
        },
        { answer },
      );
    }
  });

  test("in an answer for a result variable, small and large, as JSON and as text", async () => {
    await put("token", "S3cret-token");
    for (const padding of [0, 900_000]) {
      const body = JSON.stringify({ token: "S3cret-token", more: "x".repeat(padding), last: "S3cret-token" });
      await withReceiver(
        async ({ url }) => {
          const call = { method: "POST", url, "header.X": "${secret.token}", result_variable: "answer" };
          const id = await begin(call);
          await reaches(server, id, "completed");
          const { answer } = await variablesOf(id);
          expect(answer).toMatchObject({ type: "Json" });
          expect(JSON.parse(String(answer?.value))).toMatchObject({ token: "[secret]", last: "[secret]" });
          expect(await traces(id)).not.toContain("S3cret");
        },
        { answer: answering(200, "application/json", body) },
      );
    }
  });

  test("in a redirect, and as the host that refuses connections: incident and log do not have it", async () => {
    await put("base", "http://127.0.0.1:1/hooks/S3cret");
    const id = await begin({ method: "POST", url: "${secret.base}", body: "{}" });
    const incident = await incidentOf(server, id);
    expect(incident).toMatchObject({ type: "unreachable", request_sent: "no" });
    expect(incident.message).toContain("[secret] refuses connections");
    told(await traces(id));

    await put("host", "S3cret-host.invalid");
    const unknown = await begin({ method: "POST", url: "https://${secret.host}/a", body: "{}" });
    expect((await incidentOf(server, unknown)).message).toContain("The host [secret] has no address");
    const { message } = await incidentOf(server, unknown);
    expect(message).not.toContain("s3cret-host");
    expect(JSON.stringify(server.logged).toLowerCase()).not.toContain("s3cret-host");

    await put("redirected", "s3cret.example");
    const answer: Answer = (_, response) =>
      void response.writeHead(302, { location: "https://s3cret.example/" }).end();
    await withReceiver(
      async ({ url }) => {
        const redirected = await begin({ method: "POST", url, body: '"${secret.redirected}"' });
        expect((await incidentOf(server, redirected)).message).toContain("redirects to https://[secret]");
      },
      { answer },
    );
  });
});

test("members of a tenant do not read its models, administrators do", async () => {
  const key = freshKey();
  await deploy(
    server,
    oneCall(key, { method: "GET", url: "https://x.example/", "header.X": "S3cret-in-model" }),
  );
  const read = async (by: Parameters<typeof server.processes>[0]) =>
    (await server.processes(by)).getProcessDefinition({ xActiveTenant: "tenant-1", processKey: key });
  expect((await read({})).bpmn).toContain("S3cret-in-model");
  for (const by of [member(), { roles: ["engine", "member"] }]) {
    const shown = await read(by);
    expect(shown).toMatchObject({ process_key: key, version: 1, start_form: null });
    expect(shown).not.toHaveProperty("bpmn", expect.anything());
    expect(JSON.stringify(shown)).not.toContain("S3cret");
  }
});
