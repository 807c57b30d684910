/** Service tasks end to end: a file reaches the external system, or an incident says why not. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { startJobs } from "../../src/infrastructure/jobs/jobs.ts";
import { createLog } from "../../src/infrastructure/log.ts";
import { createEmbeddedEngine } from "../../src/processes/engines/embedded/embeddedEngine.ts";
import type { ServiceTaskJob } from "../../src/processes/engines/embedded/serviceTaskQueries.ts";
import { type Answer, type Partner, startPartner } from "../infrastructure/outbound/partner.ts";
import { upload } from "../support/attachments.ts";
import {
  addon,
  apiCall,
  boundaryError,
  boundaryTimer,
  end,
  flow,
  model,
  oneCall,
  start,
  userTask,
} from "../support/bpmn.ts";
import {
  allowLoopback,
  completeTask,
  deploy,
  freshKey,
  incidentOf,
  incidentsOf,
  reaches,
  rerun,
  startInstance,
  tasksOf,
} from "../support/processes.ts";
import { startServer, type TestServer } from "../support/server.ts";

setDefaultTimeout(60_000);
let server: TestServer;
beforeAll(async () => {
  server = await startServer({ environment: allowLoopback });
});
afterAll(() => server.stop());

async function withPartner(
  answer: Answer | undefined,
  use: (partner: Partner, url: string) => Promise<void>,
) {
  const partner = await startPartner(answer);
  try {
    await use(partner, `http://127.0.0.1:${partner.port}`);
  } finally {
    await partner.stop();
  }
}

const json =
  (body: unknown, status = 200): Answer =>
  (_, response) =>
    void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

const headerOf = (partner: Partner, name: string, at = 0) =>
  partner.received[at]?.headers.find(([header]) => header === name)?.[1];

const variablesOf = async (id: string) => {
  const api = await server.processes();
  return api.getProcessVariables({ xActiveTenant: "tenant-1", processInstanceId: id });
};

describe("an API call", () => {
  test("sends each occurrence its own URL, which works once, and continues with the answer", async () => {
    await withPartner(json({ reference: "CORE-1" }), async (partner, url) => {
      const key = freshKey("loan");
      const body = '{ "who": "${who}", "first": "${card}", "again": "${card}" }';
      await deploy(
        server,
        oneCall(key, { method: "POST", url: `${url}/loans`, body, result_variable: "core" }),
      );
      const metadata = await upload(server);
      const variables = { who: 'Jane "J" Doe', card: JSON.stringify(metadata) };
      const { process_instance_id: id } = await startInstance(server, key, { variables });
      await reaches(server, id, "completed");
      expect(partner.received).toHaveLength(1);
      const sent = JSON.parse(partner.received[0]?.body ?? "");
      expect(sent.who).toBe('Jane "J" Doe');
      expect(sent.first).not.toBe(sent.again);
      for (const link of [sent.first, sent.again]) {
        expect((await fetch(link)).status).toBe(200);
        expect((await fetch(link)).status).toBe(401);
      }
      expect(headerOf(partner, "idempotency-key")).toBe(`${id}:call:1`);
      expect((await variablesOf(id)).core).toMatchObject({ type: "Json" });
    });
  });

  test("file metadata in an answer is replaced by what the server knows", async () => {
    const metadata = await upload(server);
    await withPartner(json({ ...metadata, file_name: "forged.pdf", size: 1 }), async (_, url) => {
      const key = freshKey("loan");
      await deploy(server, oneCall(key, { method: "POST", url, body: "{}", result_variable: "core" }));
      const variables = { card: JSON.stringify(metadata) };
      const { process_instance_id: id } = await startInstance(server, key, { variables });
      await reaches(server, id, "completed");
      const { core } = await variablesOf(id);
      expect(core).toMatchObject({ type: "Json" });
      expect(JSON.parse(String(core?.value))).toMatchObject({ ...metadata });
    });
  });

  test("an unreachable system is an incident; a rerun issues new URLs and revokes unused ones", async () => {
    const links: string[] = [];
    let failing = true;
    const answer: Answer = (_request, response) => (failing ? void response.destroy() : void response.end());
    await withPartner(answer, async (partner, url) => {
      const key = freshKey("loan");
      await deploy(server, oneCall(key, { method: "PUT", url, body: '{"card":"${card}"}' }));
      const card = JSON.stringify(await upload(server));
      const { process_instance_id: id } = await startInstance(server, key, { variables: { card } });
      const incident = await incidentOf(server, id);
      expect(incident).toMatchObject({
        activity_id: "call",
        type: "unreachable",
        request_sent: "unknown",
        attempt: 1,
      });
      expect(incident.message).not.toContain("token");
      failing = false;
      await rerun(server, incident.incident_id);
      await reaches(server, id, "completed");
      links.push(...partner.received.map(({ body }) => JSON.parse(body).card));
      expect(links).toHaveLength(2);
      expect((await fetch(links[0] ?? "")).status).toBe(401);
      expect((await fetch(links[1] ?? "")).status).toBe(200);
      expect(headerOf(partner, "idempotency-key", 1)).toBe(`${id}:call:2`);
      expect(await incidentsOf(server, id)).toEqual([]);
    });
  });

  test("a rejection is an incident, unless redirectFailures is on and a boundary event matches", async () => {
    await withPartner(json({ why: "no" }, 422), async (_partner, url) => {
      const { event, error } = boundaryError("refused", "call");
      const call = { method: "POST", url, body: "{}", redirect_failures_to_error_boundary: "true" };
      const parts = [
        start(),
        userTask("fix"),
        end(),
        flow("start", "call", "end"),
        flow("refused", "fix", "end"),
      ];
      const [on, off, unmatched] = [freshKey(), freshKey(), freshKey()];
      await deploy(server, model(on, [apiCall("call", call), event, ...parts].join("\n"), error));
      const without = { method: "POST", url, body: "{}" };
      await deploy(server, model(off, [apiCall("call", without), event, ...parts].join("\n"), error));
      const other = boundaryError("refused", "call", "ANOTHER");
      await deploy(
        server,
        model(unmatched, [apiCall("call", call), other.event, ...parts].join("\n"), other.error),
      );

      const caught = await startInstance(server, on);
      for (let left = 200; (await tasksOf(server, caught.process_instance_id)).length === 0; left--) {
        if (left === 0) throw new Error("the boundary event did not catch");
        await Bun.sleep(20);
      }
      expect(await variablesOf(caught.process_instance_id)).toMatchObject({
        error_status: { type: "Integer", value: 422 },
        error_body: { type: "String", value: '{"why":"no"}' },
      });
      for (const key of [off, unmatched]) {
        const { process_instance_id } = await startInstance(server, key);
        const incident = await incidentOf(server, process_instance_id);
        expect(incident).toMatchObject({ type: "rejected", request_sent: "yes" });
        expect(incident.message).toContain('HTTP 422: "{"why":"no"}". A rerun');
      }
    });
  });

  test("an incident shows a rejection that repeats the request without its tokens", async () => {
    const echo: Answer = (_, response, body) =>
      void response.writeHead(400).end(`Cannot read\r\n${body}\n${"x".repeat(1000)}`);
    await withPartner(echo, async (partner, url) => {
      const key = freshKey("loan");
      await deploy(server, oneCall(key, { method: "POST", url, body: '{"card":"${card}"}' }));
      const card = JSON.stringify(await upload(server));
      const { process_instance_id: id } = await startInstance(server, key, { variables: { card } });
      const { message } = await incidentOf(server, id);
      const link: string = JSON.parse(partner.received[0]?.body ?? "").card;
      expect(message).toContain('HTTP 400: "Cannot read {"card":"http');
      expect(message).toContain("token=[token]");
      expect(message).not.toContain(link);
      expect(message.length).toBeLessThan(450);
      expect((await fetch(link)).status).toBe(200);
    });
  });

  test("only a rejection reaches the boundary event; an unreachable system is an incident", async () => {
    const { event, error } = boundaryError("refused", "call");
    const call = {
      method: "POST",
      url: "http://127.0.0.1:1/",
      body: "{}",
      redirect_failures_to_error_boundary: "true",
    };
    const key = freshKey();
    const flows = [flow("start", "call", "end"), flow("refused", "end")];
    await deploy(
      server,
      model(key, [start(), apiCall("call", call), event, end(), ...flows].join("\n"), error),
    );
    const { process_instance_id } = await startInstance(server, key);
    expect(await incidentOf(server, process_instance_id)).toMatchObject({
      type: "unreachable",
      request_sent: "no",
    });
  });

  test("an unknown placeholder is an incident that names it, and nothing is sent", async () => {
    await withPartner(undefined, async (partner, url) => {
      const key = freshKey();
      await deploy(server, oneCall(key, { method: "POST", url, body: '{"a":"${nobody}"}' }));
      const { process_instance_id } = await startInstance(server, key);
      const incident = await incidentOf(server, process_instance_id);
      expect(incident).toMatchObject({ type: "unknown_placeholder", request_sent: "no" });
      expect(incident.message).toContain("${nobody}");
      expect(partner.received).toEqual([]);
    });
  });

  /** A call whose answer leads to a condition over `limit`, which the instance does not have. */
  const deployLimited = async (url: string) => {
    const key = freshKey();
    const gateway = '<exclusiveGateway id="decision"/>';
    const condition = `
      <sequenceFlow id="out" sourceRef="decision" targetRef="end">
        <conditionExpression xsi:type="tFormalExpression">\${score.points &gt; limit}</conditionExpression>
      </sequenceFlow>`;
    const call = apiCall("call", { method: "POST", url, body: "{}", result_variable: "score" });
    const parts = [start(), call, gateway, end(), flow("start", "call", "decision"), condition];
    await deploy(server, model(key, parts.join("\n")));
    return key;
  };

  const giveLimit = async (id: string) => {
    const api = await server.processes();
    const variableCorrections = { variables: { limit: { value: 1 } } };
    await api.setProcessVariables({ xActiveTenant: "tenant-1", processInstanceId: id, variableCorrections });
  };

  test("if the process cannot continue with the answer, a rerun uses the answer and sends nothing", async () => {
    await withPartner(json({ points: 3 }), async (partner, url) => {
      const { process_instance_id: id } = await startInstance(server, await deployLimited(url));
      const incident = await incidentOf(server, id);
      expect(incident).toMatchObject({ type: "process_failed", request_sent: "yes" });
      await giveLimit(id);
      await rerun(server, incident.incident_id);
      await reaches(server, id, "completed");
      expect(partner.received).toHaveLength(1);
    });
  });

  test("metadata of an unknown file in an answer is ordinary data", async () => {
    const record = { id: crypto.randomUUID(), file_name: "contract.pdf", status: "stored" };
    await withPartner(json(record), async (_, url) => {
      const key = freshKey();
      await deploy(server, oneCall(key, { method: "POST", url, body: "{}", result_variable: "stored" }));
      const { process_instance_id: id } = await startInstance(server, key);
      await reaches(server, id, "completed");
      const { stored } = await variablesOf(id);
      expect(JSON.parse(String(stored?.value))).toEqual(record);
    });
  });

  test("a rerun also uses the answer to a process that was taken for dead", async () => {
    const answered = Promise.withResolvers<void>();
    const answer: Answer = async (_request, response) => {
      await answered.promise;
      response.writeHead(200, { "content-type": "application/json" }).end('{"points":3}');
    };
    await withPartner(answer, async (partner, url) => {
      const { process_instance_id: id } = await startInstance(server, await deployLimited(url));
      while (partner.received.length === 0) await Bun.sleep(5);
      // As another process does with a job that was lost during the call.
      const jobs = await startJobs(server.sql, { log: createLog("silent") });
      const other = await createEmbeddedEngine(server.sql, {
        log: createLog("silent"),
        workers: server.deps.workers,
        jobs,
      });
      const [job] = await server.sql<ServiceTaskJob[]>`
        select id::text as service_task_id, tenant_id::float8 as tenant_id, rerun from waybill.service_tasks
        where process_instance_id = ${id}`;
      expect(job && (await other.claim(job, 1))).toBeUndefined();
      await jobs.stop();
      const lost = await incidentOf(server, id);
      expect(lost).toMatchObject({ type: "interrupted", request_sent: "unknown" });
      answered.resolve();
      for (let left = 500; (await incidentOf(server, id)).type === "interrupted"; left--) {
        if (left === 0) throw new Error("the answer was not kept");
        await Bun.sleep(20);
      }
      const told = await incidentOf(server, id);
      expect(told).toMatchObject({
        incident_id: lost.incident_id,
        type: "process_failed",
        request_sent: "yes",
      });
      await giveLimit(id);
      await rerun(server, told.incident_id);
      await reaches(server, id, "completed");
      expect(partner.received).toHaveLength(1);
    });
  });
});

describe("an addon", () => {
  test("gets URLs in its parameters and metadata in its variables", async () => {
    await withPartner(json({ points: 700 }), async (partner, url) => {
      const api = await server.integration();
      const addonKey = freshKey("addon");
      await api.putAddon({ xActiveTenant: "tenant-1", key: addonKey, newAddon: { url: `${url}/score` } });
      const key = freshKey();
      const task = addon("score", {
        addon: addonKey,
        parameters: '{"doc":"${card}"}',
        result_variable: "score",
      });
      await deploy(server, model(key, [start(), task, end(), flow("start", "score", "end")].join("\n")));
      const card = JSON.stringify(await upload(server));
      const { process_instance_id: id } = await startInstance(server, key, {
        variables: { card, amount: 12 },
      });
      await reaches(server, id, "completed");
      const sent = JSON.parse(partner.received[0]?.body ?? "");
      expect((await fetch(sent.parameters.doc)).status).toBe(200);
      expect(sent.variables).toEqual({ card, amount: 12 });
    });
  });

  test("that is not registered is an incident", async () => {
    const key = freshKey();
    const task = addon("score", { addon: "nobody", parameters: "{}" });
    await deploy(server, model(key, [start(), task, end(), flow("start", "score", "end")].join("\n")));
    const { process_instance_id } = await startInstance(server, key);
    expect(await incidentOf(server, process_instance_id)).toMatchObject({
      type: "addon_not_found",
      request_sent: "no",
    });
  });
});

describe("every fault of an external system is an incident that says whether the request was sent", () => {
  const megabyte = Buffer.alloc(1024 ** 2, 120);
  const answers: [name: string, answer: Answer, type: string, requestSent: string][] = [
    ["no answer in time", () => {}, "timed_out", "unknown"],
    [
      "a redirect",
      (_, response) => void response.writeHead(302, { location: "/elsewhere" }).end(),
      "redirected",
      "yes",
    ],
    ["a connection closed at once", (_, response) => void response.destroy(), "unreachable", "unknown"],
    [
      "an answer that breaks off in the middle",
      (_, response) => {
        response.writeHead(200, { "content-length": "1000" }).write("half");
        setTimeout(() => response.destroy(), 50);
      },
      "unreachable",
      "unknown",
    ],
    [
      "an answer of 100 MB for a result variable",
      async (_, response) => {
        response.writeHead(200);
        for (let n = 0; n < 100 && !response.destroyed; n++)
          if (!response.write(megabyte))
            await new Promise((go) => response.once("drain", go).once("close", go));
        response.end();
      },
      "response_too_large",
      "yes",
    ],
    ["a server's error", (_, response) => void response.writeHead(503).end(), "rejected", "yes"],
  ];
  test.each(answers)("%s", async (_name, answer, type, requestSent) => {
    await withPartner(answer, async (_partner, url) => {
      const key = freshKey();
      const call = { method: "POST", url, body: "{}", result_variable: "answer", timeout_seconds: "1" };
      await deploy(server, oneCall(key, call));
      const { process_instance_id } = await startInstance(server, key);
      expect(await incidentOf(server, process_instance_id)).toMatchObject({
        type,
        request_sent: requestSent,
      });
    });
  });

  test("an unknown host, a closed port, and addresses that the policy refuses", async () => {
    const urls: [url: string, type: string][] = [
      ["http://nobody.invalid/", "unreachable"],
      ["http://127.0.0.1:1/", "unreachable"],
      ["http://169.254.169.254/latest/meta-data", "refused_by_policy"],
      ["http://[::ffff:10.0.0.1]/", "refused_by_policy"],
      ["http://0x0a.1/", "refused_by_policy"],
    ];
    for (const [url, type] of urls) {
      const key = freshKey();
      await deploy(server, oneCall(key, { method: "POST", url, body: "{}" }));
      const { process_instance_id } = await startInstance(server, key);
      expect(await incidentOf(server, process_instance_id)).toMatchObject({ type, request_sent: "no" });
    }
  });
});

describe("if issuing fails, there is an incident and the request is never sent", () => {
  test("because the server is not configured to issue; no boundary event catches it", async () => {
    const off = await startServer({ environment: { ...allowLoopback, DOWNLOAD_TOKEN_SECRET: "" } });
    try {
      await withPartner(undefined, async (partner, url) => {
        const { event, error } = boundaryError("refused", "call");
        const properties = {
          method: "POST",
          url,
          body: '{"card":"${card}"}',
          redirect_failures_to_error_boundary: "true",
        };
        const key = freshKey();
        const flows = [flow("start", "call", "end"), flow("refused", "end")];
        await deploy(
          off,
          model(key, [start(), apiCall("call", properties), event, end(), ...flows].join("\n"), error),
        );
        const card = JSON.stringify(await upload(off));
        const { process_instance_id: id } = await startInstance(off, key, { variables: { card } });
        const incident = await incidentOf(off, id);
        expect(incident).toMatchObject({ type: "url_issuance_failed", request_sent: "no" });
        expect(incident.message).toContain("${card}");
        expect(partner.received).toEqual([]);
      });
    } finally {
      await off.stop();
    }
  });

  test("because the attachment is gone; once it is back, a rerun sends", async () => {
    await withPartner(undefined, async (partner, url) => {
      const key = freshKey();
      const properties = { method: "POST", url, body: '{"card":"${card}"}' };
      const wait = [
        start(),
        userTask("wait"),
        apiCall("call", properties),
        end(),
        flow("start", "wait", "call", "end"),
      ];
      await deploy(server, model(key, wait.join("\n")));
      const metadata = await upload(server);
      const variables = { card: JSON.stringify(metadata) };
      const { process_instance_id: id } = await startInstance(server, key, { variables });
      const state = (to: string) =>
        server.sql`update waybill.attachments set state = ${to} where id = ${metadata.attachment_id}`;
      await state("deleting");
      const [task] = await tasksOf(server, id);
      await completeTask(server, task?.task_id ?? "");
      const incident = await incidentOf(server, id);
      expect(incident).toMatchObject({ type: "url_issuance_failed", request_sent: "no" });
      expect(partner.received).toEqual([]);
      await state("committed");
      await rerun(server, incident.incident_id);
      await reaches(server, id, "completed");
      expect(partner.received).toHaveLength(1);
    });
  });
});

test("a file is its metadata outside of a body, an old file is base64 in a body, and GET has none", async () => {
  await withPartner(undefined, async (partner, url) => {
    const key = freshKey();
    const post = {
      method: "POST",
      url: `${url}/post`,
      body: '{"old":"${old}"}',
      "header.X-Card": "${name}",
      "query.card": "${card}",
    };
    const get = { method: "GET", url: `${url}/get/${"${name}"}`, "query.card": "${card}" };
    const calls = [apiCall("post", post), apiCall("get", get)];
    await deploy(
      server,
      model(key, [start(), ...calls, end(), flow("start", "post", "get", "end")].join("\n")),
    );
    const card = JSON.stringify(await upload(server));
    const old = { value: "aGVsbG8=", type: "File", valueInfo: { filename: "a.txt" } };
    const { process_instance_id: id } = await startInstance(server, key, {
      variables: { card, old, name: "a/b" },
    });
    await reaches(server, id, "completed");
    const [first, second] = partner.received;
    expect(first?.body).toBe('{"old":"aGVsbG8="}');
    expect(first?.headers).toContainEqual(["x-card", "a/b"]);
    expect(new URL(first?.url ?? "", url).searchParams.get("card")).toBe(card);
    expect(second?.url).toStartWith("/get/a%2Fb?");
    expect(second?.body).toBe("");
    expect(
      await server.sql`select from waybill.download_tokens where process_instance_id = ${id}`,
    ).toHaveLength(0);
  });
});

test("a boundary timer cancels a service task, and the late answer changes nothing", async () => {
  const release = Promise.withResolvers<void>();
  const answer: Answer = async (_request, response) => {
    await release.promise;
    response.end("{}");
  };
  await withPartner(answer, async (_partner, url) => {
    const key = freshKey();
    const call = apiCall("call", { method: "POST", url, body: "{}", result_variable: "core" });
    const timer = boundaryTimer("late", "call", { after: "PT1S" });
    const flows = [flow("start", "call", "end"), flow("late", "other", "end")];
    await deploy(server, model(key, [start(), call, timer, userTask("other"), end(), ...flows].join("\n")));
    const { process_instance_id: id } = await startInstance(server, key);
    for (let left = 200; (await tasksOf(server, id)).length === 0; left--) {
      if (left === 0) throw new Error("the timer did not fire");
      await Bun.sleep(50);
    }
    release.resolve();
    await Bun.sleep(300);
    expect(await variablesOf(id)).toEqual({});
    const [task] = await tasksOf(server, id);
    await completeTask(server, task?.task_id ?? "");
    await reaches(server, id, "completed");
  });
});

test("no token of a download URL is in the log or in an incident", async () => {
  await withPartner(json({}, 500), async (partner, url) => {
    const key = freshKey();
    await deploy(server, oneCall(key, { method: "POST", url, body: '{"card":"${card}"}' }));
    const card = JSON.stringify(await upload(server));
    const { process_instance_id } = await startInstance(server, key, { variables: { card } });
    const incident = await incidentOf(server, process_instance_id);
    const token = new URL(JSON.parse(partner.received[0]?.body ?? "").card).searchParams.get("token") ?? "";
    expect(token.length).toBeGreaterThan(40);
    expect(JSON.stringify(server.logged)).not.toContain(token);
    expect(JSON.stringify(incident)).not.toContain(token);
  });
});
