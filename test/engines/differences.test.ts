/** The suite runs on the engine that it names, and its list of differences is neither too long nor without reasons. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { end, flow, start, userTask } from "../support/bpmn.ts";
import { differences } from "./differences.ts";
import { askEngine, engineName, engines } from "./engine.ts";
import { startWorld, type World } from "./world.ts";

setDefaultTimeout(60_000);
let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

test("the process runs in the engine under test, and in no other", async () => {
  const key = await world.deploy([start(), userTask("review"), end(), flow("start", "review", "end")]);
  await world.start(key);
  const rows = await world.server.sql`select from waybill.process_instances`;
  expect(rows).toHaveLength(engineName === "embedded" ? 1 : 0);
  if (engineName === "embedded") return;
  const query = `tenantIdIn=${world.admin.slug}&processDefinitionKey=${key}`;
  expect(await askEngine(`/process-instance/count?${query}`)).toEqual({ count: 1 });
});

test("each difference has a reason, names engines, and is consulted by a test", async () => {
  const files = [...new Bun.Glob("**/*.test.ts").scanSync(import.meta.dir)];
  const texts = await Promise.all(files.map((path) => Bun.file(`${import.meta.dir}/${path}`).text()));
  for (const [name, { on, reason }] of Object.entries(differences)) {
    expect(reason).toMatch(/^[A-Z].{20,}\.$/);
    expect(on.length).toBeGreaterThan(0);
    for (const engine of on) expect(engines).toContain(engine);
    const consulted = new RegExp(`\\b(differs|expected)\\(\\s*"${name}"`);
    expect([name, texts.some((text) => consulted.test(text))]).toEqual([name, true]);
  }
});

test("docs/engines.md has each difference, with its reason", async () => {
  const text = await Bun.file(`${import.meta.dir}/../../docs/engines.md`).text();
  const [, section = ""] = /\n## What differs from the embedded engine\n(.*?)\n## /s.exec(text) ?? [];
  const rows = section
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) => line.split(" | ").map((cell) => cell.replace(/^\| | \|$/g, "")));
  expect(rows.map(([name]) => name)).toEqual(expect.arrayContaining(Object.keys(differences)));
  for (const [name, ...cells] of rows)
    expect([name, cells.length, cells.every((cell) => cell !== "")]).toEqual([name, 2, true]);
});
