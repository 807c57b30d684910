/** The request of a service task, and what becomes of its answer. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createOutboundFetch } from "../../../src/infrastructure/outbound/fetch.ts";
import type { TypedValues } from "../../../src/processes/variables/variable.ts";
import { authority } from "../../infrastructure/outbound/partner.ts";
import { commit, fixtureBytes } from "../../support/attachments.ts";
import { allowLoopback } from "../../support/processes.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import {
  answering,
  carryOut,
  failing,
  fileVariable,
  type Given,
  headerOf,
  onlyRequest,
  withReceiver,
} from "./runs.ts";
import { text } from "./variables.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ environment: allowLoopback, workers: false });
});
afterAll(() => server.stop());

/** The one request that a receiver gets. */
const sent = (given: (url: string) => Given, secure = false) =>
  withReceiver(
    async (receiver) => {
      await carryOut(server, given(receiver.url));
      return onlyRequest(receiver);
    },
    { secure },
  );

async function committed() {
  const file = await commit(server);
  return { card: fileVariable(file), processInstanceId: file.processInstanceId };
}

describe("an API call", () => {
  test.each(["POST", "PUT", "PATCH"])(
    "%s: each file in the body is its own URL for one download",
    async (method) => {
      const { card, processInstanceId } = await committed();
      const body = '{"first":"${card}","whole":${card},"more":["see ${card}"]}';
      const request = await sent((url) => ({
        properties: { method, url, body },
        variables: { card },
        processInstanceId,
      }));
      expect(request.method).toBe(method);
      const { first, whole, more } = JSON.parse(request.body);
      const links = [first, whole, more[0].replace(/^see /, "")];
      expect(new Set(links).size).toBe(3);
      for (const link of links) {
        const download = await fetch(link);
        expect(download.status).toBe(200);
        expect(await download.bytes()).toEqual(await fixtureBytes("pillow.png"));
        expect((await fetch(link)).status).toBe(401);
      }
    },
  );

  test("in URL, query and headers a file is its metadata's text, and no URL is issued", async () => {
    const { card, processInstanceId } = await committed();
    const request = await sent((url) => ({
      properties: {
        method: "POST",
        url: `${url}/at/\${card}`,
        "query.card": "${card}",
        "header.X-Card": "${card}",
        body: "{}",
      },
      variables: { card },
      processInstanceId,
    }));
    const url = new URL(request.url, "http://receiver.example");
    expect(decodeURIComponent(url.pathname)).toBe(`/at/${card.value}`);
    expect(url.searchParams.get("card")).toBe(String(card.value));
    expect(headerOf(request, "x-card")).toEqual([String(card.value)]);
    const tokens = server.sql`
      select from waybill.download_tokens where process_instance_id = ${processInstanceId}`;
    expect(await tokens).toHaveLength(0);
  });

  test("one body can have an attachment as a URL and a File as base64", async () => {
    const { card, processInstanceId } = await committed();
    const content = Buffer.from("an old scan").toString("base64");
    const variables: TypedValues = { card, old: { type: "File", value: content } };
    const request = await sent((url) => ({
      properties: { method: "POST", url, body: '{"new":"${card}","old":"${old}"}' },
      variables,
      processInstanceId,
    }));
    const values = JSON.parse(request.body);
    expect(values.new).toStartWith("http://");
    expect(values.old).toBe(content);
  });

  test("has a content type only with a body, and one Idempotency-Key in ASCII", async () => {
    const withBody = await sent((url) => ({
      properties: { method: "POST", url, body: "a=${a}", content_type: "application/x-www-form-urlencoded" },
      variables: { a: text("1&b=2") },
      processInstanceId: "0197-instance",
      activityId: "Prüfung:1",
      attempt: 7,
    }));
    expect(withBody.body).toBe("a=1%26b%3D2");
    expect(headerOf(withBody, "content-type")).toEqual(["application/x-www-form-urlencoded"]);
    expect(headerOf(withBody, "idempotency-key")).toEqual(["0197-instance:Pr%C3%BCfung%3A1:7"]);
    const without = await sent((url) => ({ properties: { method: "POST", url } }));
    expect(without.body).toBe("");
    expect(headerOf(without, "content-type")).toEqual([]);
  });

  test("uses TLS and checks the certificate's host", async () => {
    const { outboundAllow: allow } = server.deps.config;
    const outboundFetch = createOutboundFetch({ allow, certificateAuthorities: authority });
    const given = (url: string): Given => ({ properties: { method: "GET", url }, deps: { outboundFetch } });
    expect((await sent(given, true)).method).toBe("GET");
    await withReceiver(
      async (receiver) => {
        const { failure } = await failing(server, { properties: { method: "GET", url: receiver.url } });
        expect(failure).toMatchObject({ code: "unreachable", requestSent: "no" });
        expect(receiver.received).toEqual([]);
      },
      { secure: true },
    );
  });
});

describe("an addon", () => {
  async function registered(url: string): Promise<string> {
    const key = `addon-${crypto.randomUUID()}`;
    const api = await server.integration();
    await api.putAddon({ xActiveTenant: "tenant-1", key, newAddon: { url } });
    return key;
  }

  test("receives parameters with URLs, and all variables with all their digits", async () => {
    const { card, processInstanceId } = await committed();
    const variables: TypedValues = {
      card,
      old: { type: "File", value: "aGVsbG8=" },
      amount: { type: "Long", value: "9007199254740993" },
      rate: { type: "Double", value: "0.10000000000000000001" },
      offer: { type: "Json", value: '{"total": 12345678901234567890.10}' },
      nothing: { type: "Null", value: null },
      'a "key"': text("x"),
    };
    await withReceiver(async (receiver) => {
      const addon = await registered(receiver.url);
      const properties = { addon, parameters: '{"doc":"${card}","scan":"${old}","n":${amount}}' };
      await carryOut(server, { topic: "addon", properties, variables, processInstanceId });
      const { method, body } = onlyRequest(receiver);
      expect(method).toBe("POST");
      const { parameters, variables: values } = JSON.parse(body);
      expect((await fetch(parameters.doc)).status).toBe(200);
      expect(parameters.scan).toBe("aGVsbG8=");
      expect(values.card).toBe(card.value);
      expect(values.old).toBeNull();
      expect(values.nothing).toBeNull();
      expect(values['a "key"']).toBe("x");
      expect(body).toContain('"n":9007199254740993');
      expect(body).toContain('"rate":0.10000000000000000001');
      expect(body).toContain('"offer":{"total": 12345678901234567890.10}');
    });
  });

  test("of another tenant is not found", async () => {
    await withReceiver(async (receiver) => {
      const addon = await registered(receiver.url);
      const given = { topic: "addon", properties: { addon }, tenantId: 2 };
      const { failure, passed } = await failing(server, given);
      expect(failure).toMatchObject({ code: "addon_not_found", requestSent: "no" });
      expect(failure.message).toContain(addon);
      expect([passed, receiver.received]).toEqual([false, []]);
    });
  });

  test("refuses as an API call does", async () => {
    const answer = answering(409, "text/plain", "not today");
    await withReceiver(
      async ({ url }) => {
        const given = { topic: "addon", properties: { addon: await registered(url) } };
        expect(await carryOut(server, given)).toEqual({ kind: "rejected", status: 409, body: "not today" });
      },
      { answer },
    );
  });
});

describe("the answer", () => {
  const outcome = (answer: ReturnType<typeof answering>, properties = {}) =>
    withReceiver(
      ({ url }) =>
        carryOut(server, { properties: { method: "GET", url, result_variable: "r", ...properties } }),
      { answer },
    );

  test.each([
    ["application/json", '{"n":12345678901234567890.10}', "Json"],
    ["application/problem+json; charset=utf-8", "[1.0]", "Json"],
    ["text/json", "null", "Json"],
    ["application/json", "not JSON after all", "String"],
    ["application/jsonp", "{}", "String"],
    ["text/plain", "{}", "String"],
    ["", "plain", "String"],
  ] as const)("%s %j is a variable of type %3$s, text as it came", async (contentType, body, type) => {
    const completed = await outcome(answering(200, contentType, body));
    expect(completed).toEqual({ kind: "completed", variables: { r: { type, value: body } } });
  });

  test.each([200, 204])("without a body (%d) is Null", async (status) => {
    const variables = { r: { type: "Null", value: null } } as const;
    expect(await outcome(answering(status, "application/json"))).toEqual({ kind: "completed", variables });
  });

  test("is dropped without a result variable", async () => {
    const huge = "x".repeat(2 * 1024 ** 2);
    const completed = await outcome(answering(200, "", huge), { result_variable: "" });
    expect(completed).toEqual({ kind: "completed", variables: {} });
  });

  test.each([
    ["application/json", "Json"],
    ["text/plain", "String"],
  ] as const)(
    "that repeats the request (%s) is kept without its tokens, which still work",
    async (contentType, type) => {
      const { card, processInstanceId } = await committed();
      const { completed, request } = await withReceiver(
        async (receiver) => {
          const properties = {
            method: "POST",
            url: receiver.url,
            body: '{"c":"${card}"}',
            result_variable: "r",
          };
          const given = { properties, variables: { card }, processInstanceId };
          return { completed: await carryOut(server, given), request: onlyRequest(receiver) };
        },
        {
          answer: (_, response, body) =>
            void response.writeHead(200, { "content-type": contentType }).end(body),
        },
      );
      const link = JSON.parse(request.body).c;
      const value = request.body.replace(/token=[^"]*/, "token=[token]");
      expect(completed).toEqual({ kind: "completed", variables: { r: { type, value } } });
      expect((await fetch(link)).status).toBe(200);
    },
  );

  test("that is too large for its variable is a failure of a sent request", async () => {
    const huge = "x".repeat(2 * 1024 ** 2);
    await withReceiver(
      async ({ url }) => {
        const properties = { method: "GET", url, result_variable: "r" };
        const { failure, passed } = await failing(server, { properties });
        expect(failure).toMatchObject({ code: "response_too_large", requestSent: "yes" });
        expect(passed).toBe(true);
      },
      { answer: answering(200, "", huge) },
    );
  });

  test.each([400, 401, 404, 422, 500, 599])("%d is a refusal with its body", async (status) => {
    const body = '{"why":"no"}';
    expect(await outcome(answering(status, "application/json", body))).toEqual({
      kind: "rejected",
      status,
      body,
    });
  });

  test("of a long refusal is cut to 64 K characters, between whole characters", async () => {
    const rejected = await outcome(answering(500, "", `x${"🍜".repeat(1024 ** 2)}`));
    if (rejected.kind !== "rejected") throw new Error("it was not refused");
    expect(rejected.body).toHaveLength(64 * 1024);
    expect(rejected.body.isWellFormed()).toBe(true);
  });
});

test("an error of `sending` is thrown on, and nothing is sent", async () => {
  await withReceiver(async (receiver) => {
    const lost = new Error("somebody else has it");
    const sending = () => Promise.reject(lost);
    const given = { properties: { method: "POST", url: receiver.url, body: "{}" }, sending };
    expect(await carryOut(server, given).catch((error: unknown) => error)).toBe(lost);
    expect(receiver.received).toEqual([]);
  });
});
