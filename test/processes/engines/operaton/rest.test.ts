/** The client of an engine's REST interface: what it sends, what it reads, and what it makes of bad answers. */
import { afterEach, expect, test } from "bun:test";
import Type from "typebox";
import { numberText } from "../../../../src/infrastructure/json.ts";
import { Problem } from "../../../../src/infrastructure/problem.ts";
import {
  engineMoment,
  nullable,
  shapeOf,
  text,
} from "../../../../src/processes/engines/operaton/answerShape.ts";
import {
  at,
  createEngineRest,
  type EngineCall,
  isEngineId,
} from "../../../../src/processes/engines/operaton/rest.ts";
import {
  EngineError,
  EngineUnreachable,
  problemOf,
} from "../../../../src/processes/engines/operaton/restErrors.ts";

const servers: { stop(force: boolean): Promise<void> }[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.stop(true))));

function clientOf(answer: (request: Request) => Response | Promise<Response>, timeoutMs = 5_000) {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: answer });
  servers.push(server);
  const url = `${server.url.origin}/engine-rest`;
  return createEngineRest({ url, authorization: "Bearer hunter2", timeoutMs });
}

const anything = shapeOf(Type.Unknown());

async function failure(calling: Promise<unknown>): Promise<Error> {
  try {
    await calling;
  } catch (error) {
    return error as Error;
  }
  throw new Error("The call did not fail");
}

test("a call sends its query, its JSON with all digits and the credentials", async () => {
  const rest = clientOf(async (request) => {
    const { pathname, search } = new URL(request.url);
    const { method, headers } = request;
    const authorization = headers.get("Authorization");
    return Response.json({ method, path: pathname + search, authorization, text: await request.text() });
  });
  const call: EngineCall = {
    method: "POST",
    path: at`/process-definition/key/${"a/b é"}/start`,
    query: { tenantIdIn: ["one", "two"], withoutTenantId: undefined, maxResults: 5 },
    body: { value: JSON.rawJSON("9007199254740993") },
  };
  expect(await rest.call(call, anything)).toEqual({
    method: "POST",
    path: "/engine-rest/process-definition/key/a%2Fb%20%C3%A9/start?tenantIdIn=one%2Ctwo&maxResults=5",
    authorization: "Bearer hunter2",
    text: '{"value":9007199254740993}',
  });
});

test("numbers of an answer keep their digits, and an empty answer is undefined", async () => {
  const rest = clientOf(({ url }) => new Response(url.endsWith("/empty") ? null : '{"a":9007199254740993}'));
  const { a } = await rest.call({ path: "/one" }, shapeOf(Type.Object({ a: Type.Unknown() })));
  expect(numberText(a)).toBe("9007199254740993");
  expect(await rest.call({ path: "/empty" }, anything)).toBeUndefined();
});

test("an error of the engine becomes engine_rejected with its message, but not with the credentials", async () => {
  const body = { type: "RestException", message: "Cannot complete task 7", code: 1 };
  const rest = clientOf(() => Response.json(body, { status: 500 }));
  const error = (await failure(rest.call({ path: "/task/7" }))) as EngineError;
  expect(error).toBeInstanceOf(EngineError);
  expect(error).toMatchObject({ status: 500, ...body });
  const problem = problemOf(error) as Problem;
  expect(problem).toMatchObject({ code: "engine_rejected", status: 422 });
  expect(problem.message).toContain("Cannot complete task 7");
  expect(JSON.stringify(Bun.inspect(problem))).not.toContain("hunter2");
});

test("a message of the engine can be stored: it has no NUL and no half of a surrogate pair", async () => {
  const rest = clientOf(() => Response.json({ message: "a\u0000b\ud83d" }, { status: 500 }));
  expect((await failure(rest.call({ path: "/task/7" }))).message).toBe("a\ufffdb\ufffd");
});

test.each([401, 403, 502, 503, 302])(
  "status %i is engine_unavailable and is not followed",
  async (status) => {
    const calls: string[] = [];
    const rest = clientOf(({ url }) => {
      calls.push(url);
      return new Response("<html>", { status, headers: { Location: "/elsewhere" } });
    });
    const problem = problemOf(await failure(rest.call({ path: "/version" })));
    expect(problem).toMatchObject({ code: "engine_unavailable", status: 503 });
    expect(calls).toHaveLength(1);
  },
);

test("an engine that is away, silent or stops in mid-answer is engine_unavailable", async () => {
  const silent = clientOf(() => new Promise<Response>(() => {}), 200);
  const error = await failure(silent.call({ path: "/version" }));
  expect(error).toBeInstanceOf(EngineUnreachable);
  expect(error.message).toBe("no answer within 0.2 seconds");
  const half = clientOf(() => new Response(new ReadableStream({ start: (to) => to.enqueue("{") })), 200);
  expect(await failure(half.call({ path: "/version" }))).toBeInstanceOf(EngineUnreachable);
  const gone = clientOf(() => new Response());
  await servers.at(-1)?.stop(true);
  const problem = problemOf(await failure(gone.call({ path: "/version" })));
  expect(problem).toBeInstanceOf(Problem);
  expect(problem).toMatchObject({ code: "engine_unavailable" });
});

test("an answer that is too large or is not JSON is refused, not read to its end", async () => {
  let sent = 0;
  const endless = new ReadableStream({
    pull: (to) => {
      sent += 1024 ** 2;
      to.enqueue(new Uint8Array(1024 ** 2).fill(0x20));
    },
  });
  const large = await failure(clientOf(() => new Response(endless)).call({ path: "/x" }));
  expect(large).toMatchObject({ type: "AnswerTooLarge" });
  expect(sent).toBeLessThan(200 * 1024 ** 2);
  const page = await failure(clientOf(() => new Response("<html>")).call({ path: "/x" }));
  expect(page).toMatchObject({ type: "UnreadableAnswer" });
  expect(problemOf(page)).toMatchObject({ code: "engine_unavailable" });
});

const tasks = shapeOf(Type.Array(Type.Object({ id: text, assignee: nullable(text), created: engineMoment })));
const task = { id: "7", assignee: null, created: "2026-11-22T04:43:09.666+0000", more: [1] };

test.each([
  ['"hunter2"', "the answer must be array"],
  ["null", "the answer must be array"],
  ["", "the answer must be array"],
  ["{}", "the answer must be array"],
  [JSON.stringify([task, "hunter2"]), "/1 must be object"],
  [JSON.stringify([{ ...task, id: undefined }]), "/0 must have required properties id"],
  [JSON.stringify([{ ...task, id: 5 }]), "/0/id must be string"],
  [JSON.stringify([{ ...task, assignee: { name: "hunter2" } }]), "/0/assignee must be string"],
  [JSON.stringify([{ ...task, created: "hunter2" }]), "/0/created must be a time"],
])(
  "the answer %p of another shape is engine_unavailable, with its first fault and without a value",
  async (body, fault) => {
    const rest = clientOf(() => new Response(body));
    const error = await failure(rest.call({ path: "/task" }, tasks));
    expect(error).toMatchObject({
      type: "UnreadableAnswer",
      message: `The engine's answer to GET /task does not have the expected shape: ${fault}`,
    });
    expect(problemOf(error)).toMatchObject({ code: "engine_unavailable", status: 503 });
    expect(Bun.inspect(error)).not.toContain("hunter2");
  },
);

test("an answer may have more members than its shape, and loses none", async () => {
  const rest = clientOf(() => Response.json([task]));
  expect(await rest.call({ path: "/task" }, tasks)).toEqual([task] as never);
});

test("a call that needs no answer refuses the answer of a proxy, and takes an empty one", async () => {
  const change = { method: "POST", path: "/task/7/complete" } as const;
  await clientOf(() => new Response(null, { status: 204 })).call(change);
  const error = await failure(clientOf(() => Response.json({ login: "hunter2" })).call(change));
  expect(error.message).toBe(
    "The engine's answer to POST /task/7/complete does not have the expected shape: it is not empty",
  );
});

test("to check an answer with 100 tasks takes less than to parse it", () => {
  const body = JSON.stringify(Array.from({ length: 100 }, (_, index) => ({ ...task, id: `task ${index}` })));
  const many: unknown = JSON.parse(body);
  const timed = (work: () => unknown) => {
    const times = Array.from({ length: 200 }, () => {
      const begun = performance.now();
      work();
      return performance.now() - begun;
    });
    return times.sort((a, b) => a - b)[100] as number;
  };
  expect(tasks.matches(many)).toBe(true);
  expect(timed(() => tasks.matches(many))).toBeLessThan(2 * timed(() => JSON.parse(body)) + 0.2);
});

test("connections are used again", async () => {
  const ports = new Set<number>();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request, { requestIP }) => {
      ports.add(requestIP.call(server, request)?.port ?? 0);
      return new Response("{}");
    },
  });
  servers.push(server);
  const rest = createEngineRest({ url: server.url.origin, authorization: undefined, timeoutMs: 5_000 });
  for (let call = 0; call < 10; call++) await rest.call({ path: "/x" }, anything);
  expect(ports.size).toBe(1);
});

test("only texts that can be ids of the engine are sent to it", () => {
  for (const id of ["6f1c", "key:1:6f1c", crypto.randomUUID(), "prüfung:2:9"])
    expect(isEngineId(id)).toBe(true);
  for (const id of ["", ".", "..", "a/b", "a b", "a?b", "x".repeat(65), "a\0"])
    expect(isEngineId(id)).toBe(false);
  expect(() => at`/task/${".."}`).toThrow(TypeError);
});
