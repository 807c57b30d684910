/** An overloaded process refuses new requests before it reads them, until it has recovered. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createLog } from "../../src/infrastructure/log.ts";
import { type Pressure, watchPressure } from "../../src/infrastructure/pressure.ts";
import { expectProblem } from "../support/problem.ts";
import { openRaw } from "../support/rawHttp.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { tablesPath } from "../support/tables.ts";

const plenty = Number.MAX_SAFE_INTEGER;
const logged: Record<string, unknown>[] = [];
const log = createLog("info", { write: (line) => void logged.push(JSON.parse(line)) });

let pressure: Pressure;
let server: TestServer;
beforeAll(async () => {
  pressure = watchPressure({ maxLagMs: 250, maxBytes: plenty, log });
  server = await startServer({ pressure });
  await server.request(tablesPath());
});
afterAll(async () => {
  pressure.stop();
  await server.stop();
});

function block(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

const calm = async () => {
  for (const until = performance.now() + 5_000; pressure.reason() !== undefined; await Bun.sleep(20))
    if (performance.now() > until) throw new Error("the pressure does not end");
};

test("while the event loop lags, new requests are answered 503, except health", async () => {
  let busy = true;
  const load = (async () => {
    for (; busy; await new Promise(setImmediate)) block(400);
  })();
  while (pressure.reason() === undefined) await Bun.sleep(1);
  const refused = await server.request(tablesPath());
  expect(refused.headers.get("retry-after")).toBe("2");
  const { request_id } = await expectProblem(refused, "overloaded");
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  busy = false;
  await load;
  const started = performance.now();
  await calm();
  expect(performance.now() - started).toBeLessThan(1_000);
  expect((await server.request(tablesPath())).status).toBe(200);
  // One line when it begins and one when it ends. A refusal has only the line of its request.
  expect(logged.map(({ reason }) => reason)).toEqual(["lag", undefined]);
  expect(server.logged.filter((line) => line.request_id === request_id)).toMatchObject([{ status: 503 }]);
}, 20_000);

test("a single stall refuses no request", async () => {
  await calm();
  for (let stall = 0; stall < 3; stall++) {
    block(600);
    expect((await server.request(tablesPath())).status).toBe(200);
    await Bun.sleep(300);
  }
});

test("above the memory limit, a request is refused before its body is sent", async () => {
  const full = watchPressure({ maxLagMs: plenty, maxBytes: 1, log });
  const crowded = await startServer({ pressure: full });
  while (full.reason() === undefined) await Bun.sleep(20);
  const connection = await openRaw(crowded.url);
  const head = [
    `POST ${tablesPath()} HTTP/1.1`,
    "Host: localhost",
    `Authorization: Bearer ${await crowded.token()}`,
    "Content-Type: application/json",
    "Content-Length: 1000000",
  ];
  connection.send(`${head.join("\r\n")}\r\n\r\n`);
  const [answer] = await connection.answers(1);
  expect(answer?.status).toBe(503);
  expect(JSON.parse(answer?.body ?? "")).toMatchObject({ code: "overloaded" });
  connection.destroy();
  expect((await fetch(`${crowded.url}/readyz`)).status).toBe(200);
  full.stop();
  await crowded.stop();
});
