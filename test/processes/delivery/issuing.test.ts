/** URLs for a service task: every URL that is sent works, and none works after its time. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { revokeUnusedTokens } from "../../../src/files/attachments/tokenQueries.ts";
import { connect } from "../../../src/infrastructure/database/connect.ts";
import { type CommittedAttachment, commit, freshInstance, upload } from "../../support/attachments.ts";
import { allowLoopback } from "../../support/processes.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { answering, carryOut, failing, fileVariable, type Given, onlyRequest, withReceiver } from "./runs.ts";
import { text } from "./variables.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ environment: allowLoopback, workers: false });
});
afterAll(() => server.stop());

const body = '{"who":"${who}","card":"${card}"}';
const given = (file: CommittedAttachment, url: string): Given => ({
  properties: { method: "POST", url, body, redirect_failures_to_error_boundary: "true" },
  variables: { card: fileVariable(file), who: text("Jane") },
  processInstanceId: file.processInstanceId,
});

const tokensOf = ({ id }: CommittedAttachment) =>
  server.sql`select from waybill.download_tokens where attachment_id = ${id}`;

/** Nothing reaches the receiver, and the message names the placeholder and no more. */
async function notIssued(file: CommittedAttachment, changes: Partial<Given> = {}): Promise<string> {
  return withReceiver(async (receiver) => {
    const { failure, passed } = await failing(server, { ...given(file, receiver.url), ...changes });
    expect(failure).toMatchObject({ code: "url_issuance_failed", requestSent: "no" });
    expect(failure.message).toContain("${card}");
    expect(failure.message).not.toContain("${who}");
    expect(failure.message).not.toContain(file.id);
    expect([passed, receiver.received]).toEqual([false, []]);
    return failure.message;
  });
}

describe("issuing fails, and nothing is sent", () => {
  test("if the server is not configured to issue URLs", async () => {
    const file = await commit(server);
    const { config } = server.deps;
    for (const name of ["publicBaseUrl", "downloadTokenSecret"]) {
      const message = await notIssued(file, { deps: { config: { ...config, [name]: undefined } } });
      expect(message).toContain("PUBLIC_BASE_URL and DOWNLOAD_TOKEN_SECRET");
    }
  });

  test("if the attachment is committed to an instance of another process or tenant", async () => {
    const file = await commit(server);
    expect(await notIssued(file, { processInstanceId: freshInstance() })).toContain("not committed");
    await notIssued(file, { tenantId: 2 });
    expect(await tokensOf(file)).toHaveLength(0);
  });

  test("if one attachment is a draft or deleted: the message names only that one", async () => {
    const file = await commit(server);
    const draft = { id: "", metadata: await upload(server), uploader: {}, processInstanceId: "" };
    const gone = { ...draft, metadata: { ...draft.metadata, attachment_id: crypto.randomUUID() } };
    for (const unfit of [draft, gone]) {
      const { variables = {}, properties, ...rest } = given(file, "http://127.0.0.1:1/");
      const { failure } = await failing(server, {
        ...rest,
        properties: { ...properties, body: '["${card}","${other}"]' },
        variables: { ...variables, other: fileVariable(unfit) },
      });
      expect(failure.code).toBe("url_issuance_failed");
      expect(failure.message).toContain("${other}");
      expect(failure.message).not.toContain("${card}");
    }
    expect(await tokensOf(file)).toHaveLength(0);
  });

  test("if the database is unavailable", async () => {
    const file = await commit(server);
    const sql = connect("postgres://nobody@127.0.0.1:1/nothing");
    try {
      expect(await notIssued(file, { deps: { sql } })).toContain("is not available");
    } finally {
      await sql.end();
    }
  });
});

test.each([
  ["an unknown placeholder in the body", { body: '["${card}","${nobody}"]' }, "unknown_placeholder"],
  ["an unknown placeholder in a header", { body, "header.A": "${nobody}" }, "unknown_placeholder"],
  ["a value that does not fit the body", { body: '{"a":"${card}","${a}":1}' }, "value_does_not_fit"],
  ["a value that does not fit a header", { body, "header.A": "${lines}" }, "value_does_not_fit"],
  ["a value that does not fit the URL", { body, url: "http://${who}:${who}/" }, "value_does_not_fit"],
])("%s uses up no URL", async (_, properties, code) => {
  const file = await commit(server);
  const { variables, ...rest } = given(file, "http://127.0.0.1:1/");
  const { failure, passed } = await failing(server, {
    ...rest,
    properties: { ...rest.properties, ...properties },
    variables: { ...variables, a: text("a"), lines: text("a\nb") },
  });
  expect(failure).toMatchObject({ code, requestSent: "no" });
  expect(passed).toBe(false);
  expect(await tokensOf(file)).toHaveLength(0);
});

const furtherAttempt =
  "a further attempt has new URLs, and unused URLs of the earlier one are refused (task %p)";
test.each([crypto.randomUUID(), "4711"])(furtherAttempt, async (serviceTaskId) => {
  await withReceiver(async (receiver) => {
    const file = await commit(server);
    const both = { ...given(file, receiver.url), serviceTaskId };
    const twice = { ...both, properties: { ...both.properties, body: '["${card}","${card}"]' } };
    await carryOut(server, twice);
    const [used, unused] = JSON.parse(onlyRequest(receiver).body) as [string, string];
    expect((await fetch(used)).status).toBe(200);

    await revokeUnusedTokens(server.sql, serviceTaskId);
    await carryOut(server, { ...twice, attempt: 2 });
    const refusals = await Promise.all([used, unused].map((link) => fetch(link)));
    expect(refusals.map(({ status }) => status)).toEqual([401, 401]);
    const told = await Promise.all(refusals.map((refusal) => refusal.json()));
    const [first, second] = told.map((problem) => ({ ...(problem as object), request_id: "" }));
    expect(second).toEqual(first);
    for (const link of JSON.parse(receiver.received[1]?.body ?? "") as string[])
      expect((await fetch(link)).status).toBe(200);
  });
});

test("URLs of another service task and of an external engine stay valid", async () => {
  await withReceiver(async (receiver) => {
    const file = await commit(server);
    await carryOut(server, given(file, receiver.url));
    await revokeUnusedTokens(server.sql, crypto.randomUUID());
    expect((await fetch(JSON.parse(onlyRequest(receiver).body).card)).status).toBe(200);
  });
});

test("no failure and no log line contains a token, a query or a value", async () => {
  const secret = `s3cr3t${crypto.randomUUID()}`;
  const answers = [
    answering(500, "", secret),
    (_: unknown, response: { destroy(): void }) => response.destroy(),
    () => undefined,
    (_: unknown, response: import("node:http").ServerResponse) =>
      void response.writeHead(302, { location: `/${secret}?${secret}` }).end(),
  ];
  for (const answer of answers)
    await withReceiver(
      async (receiver) => {
        const file = await commit(server);
        const { properties, variables, processInstanceId } = given(file, `${receiver.url}/\${secret}`);
        const told = await carryOut(server, {
          properties: {
            ...properties,
            "query.key": "${secret}",
            "header.A": "${secret}",
            timeout_seconds: "0.3",
          },
          variables: { ...variables, secret: text(secret) },
          ...(processInstanceId === undefined ? {} : { processInstanceId }),
        }).then(
          () => "refused",
          (failure: Error) => failure.message,
        );
        const link = new URL(JSON.parse(onlyRequest(receiver).body).card);
        const token = link.searchParams.get("token") ?? "none";
        for (const text of [told, JSON.stringify(server.logged)]) {
          expect(text).not.toContain(token);
          expect(text).not.toContain(secret);
        }
      },
      { answer },
    );
});
