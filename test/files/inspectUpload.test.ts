/** Files that are made to cost time are inspected in other threads, within limits. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { checkContent } from "../../src/files/content/checkContent.ts";
import { createWorkers } from "../../src/infrastructure/workers/workers.ts";
import { fixture, freshUser, member, uploadPath } from "../support/attachments.ts";
import { documentOfEntities, expensiveFiles } from "../support/expensiveFiles.ts";
import { inspect } from "../support/inspectContent.ts";
import { startServer, type TestServer } from "../support/server.ts";

const workers = createWorkers({ threads: 2 });
let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.stop();
  await workers.end();
});

for (const build of expensiveFiles)
  test(`${build.name}: the check ends in time`, async () => {
    const { name, bytes, outcome } = build();
    expect(await inspect(bytes, name)).toBe(outcome);
  });

function send(to: TestServer, file: File, authorization: string): Promise<Response> {
  const form = new FormData();
  form.set("file", file);
  form.set("process_key", "loan_application");
  form.set("field_name", "identity_card");
  const headers = { authorization, "x-active-tenant": "tenant-1" };
  return to.request(uploadPath, { method: "POST", headers, body: form });
}

test("uploads that are expensive to check do not delay other requests", async () => {
  const { name, bytes } = documentOfEntities();
  const authorization = `Bearer ${await server.token(member())}`;
  const uploads = Array.from({ length: 12 }, () =>
    send(server, new File([new Uint8Array(bytes)], name), authorization),
  );
  let isDone = false;
  const all = Promise.all(uploads).finally(() => {
    isDone = true;
  });
  const waits: number[] = [];
  while (!isDone) {
    const asked = performance.now();
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    waits.push(performance.now() - asked);
    await Bun.sleep(10);
  }
  const statuses = (await all).map(({ status }) => status);
  expect(statuses.filter((status) => status !== 201 && status !== 503)).toEqual([]);
  // The slowest of all answers, on a machine that others use too.
  expect(Math.max(...waits)).toBeLessThan(500);
});

test("a check that takes too long ends and the file is refused; the next file is checked", async () => {
  let limitMs = 1;
  const hurried = {
    ...workers,
    run: (work: never, input: never, group: string) =>
      workers.run({ ...(work as object), limitMs } as never, input, group),
  };
  const slow = await startServer({ deps: { workers: hurried as never } });
  try {
    const authorization = `Bearer ${await slow.token(member(freshUser()))}`;
    const refused = await send(slow, await fixture("libreoffice.docx"), authorization);
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([
      415,
      "file_too_complex",
    ]);
    limitMs = 5_000;
    expect((await send(slow, await fixture("libreoffice.docx"), authorization)).status).toBe(201);
  } finally {
    await slow.stop();
  }
});

test("a tenant with too many files waiting for a thread gets 503 with Retry-After", async () => {
  const busy = await startServer({ deps: { workers } });
  try {
    const authorization = `Bearer ${await busy.token(member(freshUser()))}`;
    // One of the two threads is kept for other tenants.
    const all = Array.from({ length: 2 }, () => workers.run(sleep, 2_500, "1"));
    const waiting = Array.from({ length: 63 }, () => workers.run(sleep, 0, "1"));
    const refused = await send(busy, await fixture("pillow.png"), authorization);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "2"]);
    await Promise.all([...all, ...waiting]);
    expect((await send(busy, await fixture("pillow.png"), authorization)).status).toBe(201);
  } finally {
    await busy.stop();
  }
});

const sleep = {
  file: new URL("./sleepWork.ts", import.meta.url).href,
  name: "sleep",
  limitMs: 10_000,
} as never as Parameters<typeof workers.run<number, number>>[0];

test("an ordinary file costs little more in another thread than in this one", async () => {
  const path = Bun.fileURLToPath(new URL("../fixtures/content/libreoffice.docx", import.meta.url));
  const upload = { path, size: Bun.file(path).size, fileName: "a.docx" };
  const work = {
    file: new URL("../../src/files/content/contentWork.ts", import.meta.url).href,
    name: "inspectContent",
    limitMs: 5_000,
  } as never as Parameters<typeof workers.run<typeof upload, object>>[0];
  const timeOf = async (run: () => Promise<unknown>) => {
    const times: number[] = [];
    for (let round = 0; round < 60; round++) {
      const begun = performance.now();
      await run();
      times.push(performance.now() - begun);
    }
    return times.sort((a, b) => a - b)[30] ?? 0;
  };
  const here = await timeOf(() => checkContent(upload));
  const there = await timeOf(() => workers.run(work, upload, "1"));
  // Milliseconds. A machine that is slow or busy is so for both.
  expect(there).toBeLessThan(2 * here + 5);
});
