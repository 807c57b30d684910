/**
 * Runs the conformance suite on each remote engine, on PostgreSQL, and then the fault test:
 *
 *   bun test/ci/engines/main.ts FOLDER [operaton|camunda7|faults]…
 *
 * FOLDER is what `.ci/engines` has built. Without names, all three run. The last line is `N passed, N failed`; the exit
 * code is 1 if anything fails. Whatever it started, it ends.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repository } from "../../support/waybillProcess.ts";
import { startPostgres } from "../faults/parts/postgres.ts";
import { type JavaEngineName, prepareEngine } from "./javaEngine.ts";

const names = ["operaton", "camunda7", "faults"] as const;
const [builtFolder = "", ...given] = process.argv.slice(2);
const wrong = given.filter((name) => !names.some((each) => each === name));
if (builtFolder === "" || wrong.length > 0)
  throw new Error(`usage: bun test/ci/engines/main.ts FOLDER [${names.join("|")}]…`);

/** What ends the parts that run now, in the order in which they started. */
const ends: (() => Promise<unknown>)[] = [];
let ending: Promise<void> = Promise.resolve();
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.on(signal, () => void endAll().finally(() => process.exit(2)));

const sum = { passed: 0, failed: 0 };
for (const name of names) {
  if (given.length > 0 && !given.includes(name)) continue;
  const counts = name === "faults" ? await runFaults() : await runSuite(name);
  // A part that tested nothing has not passed.
  const failed = counts.passed + counts.failed === 0 ? 1 : counts.failed;
  console.log(`${name}: ${counts.passed} passed, ${failed} failed, ${counts.seconds} s`);
  sum.passed += counts.passed;
  sum.failed += failed;
}
console.log(`${sum.passed} passed, ${sum.failed} failed`);
process.exit(sum.failed === 0 ? 0 : 1);

async function runSuite(name: JavaEngineName) {
  const folder = await mkdtemp(join(tmpdir(), "waybill-engines-"));
  ends.push(() => rm(folder, { recursive: true, force: true }));
  try {
    const postgres = await startPostgres(folder);
    ends.push(postgres.end);
    const engine = await prepareEngine({ builtFolder, name, folder, postgres });
    ends.push(engine.kill);
    await engine.start();
    const environment = { WAYBILL_TEST_ENGINE: name, WAYBILL_TEST_ENGINE_URL: engine.url };
    return await runTests(["--parallel=4", "--no-isolate", "test/engines"], environment);
  } finally {
    await endAll();
  }
}

/** Resolves once everything has ended, also what an earlier call is still ending. */
function endAll(): Promise<void> {
  const stops = ends.splice(0).reverse();
  ending = ending.then(async () => {
    for (const stop of stops) await stop();
  });
  return ending;
}

function runFaults() {
  return runTests(["test/ci/engines/faults.test.ts"], { WAYBILL_TEST_ENGINES: builtFolder });
}

/** Runs `bun test`, shows what it prints, and counts. */
async function runTests(args: readonly string[], environment: Readonly<Record<string, string>>) {
  const since = performance.now();
  const child = Bun.spawn([process.execPath, "test", "--timeout=60000", ...args], {
    cwd: repository,
    env: { ...process.env, ...environment },
    stdin: "ignore",
    stdout: "inherit",
    stderr: "pipe",
  });
  ends.push(async () => {
    child.kill("SIGTERM");
    await child.exited;
  });
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of child.stderr) {
    process.stderr.write(chunk);
    text += decoder.decode(chunk, { stream: true });
  }
  const code = await child.exited;
  const [passed, failed] = [count(text, "pass"), count(text, "fail")];
  const seconds = Math.round((performance.now() - since) / 1_000);
  return { passed, failed: code === 0 ? failed : Math.max(1, failed), seconds };
}

/** The sum of the lines such as ` 12 pass`. */
function count(text: string, what: "pass" | "fail"): number {
  const lines = text.matchAll(new RegExp(`^ *(\\d+) ${what}$`, "gm"));
  return [...lines].reduce((total, [, found]) => total + Number(found), 0);
}
