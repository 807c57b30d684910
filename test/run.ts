/**
 * `bun run test`: all tests, in as little time as the machine allows.
 *
 * Most files run in the first pass, several at a time: most tests wait most of the time, for a database, a timer or
 * another process. The files that measure their own speed run in the second pass, at most two at a time. Each process
 * of a pass runs one file after the other and starts its own PostgreSQL, so files of two processes share nothing.
 *
 * Prints what `bun test` prints, once a pass. Ends with code 1 if anything fails. Options are handed on to both passes:
 * `bun run test --update-timings` measures again which files are the slowest, so that they start first.
 */
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Names of files whose limits on time are close to what the work takes, or that compare two times. */
const measuring = [
  "abandonedObjects",
  "attachmentMetadata",
  "deployProcess",
  "fetch",
  "formVariables",
  "inspectUpload",
  "largeBodies",
  "longSteps",
  "pressure",
];

const filesOf = (name: string) => [...new Bun.Glob(`test/**/${name}.test.ts`).scanSync(root)];
const measured = measuring.flatMap((name) => {
  const files = filesOf(name);
  if (files.length === 0) throw new Error(`test/run.ts names a test file that does not exist: ${name}`);
  return files;
});

async function pass(processes: number, ...args: string[]): Promise<boolean> {
  const parallel = [`--parallel=${processes}`, "--no-isolate", "--timings=test/timings.json"];
  const command = [
    process.execPath,
    "test",
    "--timeout=60000",
    ...parallel,
    ...process.argv.slice(2),
    ...args,
  ];
  const child = Bun.spawn(command, { cwd: root, stdio: ["inherit", "inherit", "inherit"] });
  return (await child.exited) === 0;
}

// The tests in test/ci need what the other steps of CI install, those in test/engines/remote an engine of its own.
const left = ["test/ci/**", "test/engines/remote/**", ...measured].map(
  (path) => `--path-ignore-patterns=${path}`,
);
const passed = [
  await pass(Math.min(8, 3 * cpus().length), "test", ...left),
  await pass(2, ...measured.map((path) => `./${path}`)),
];
process.exit(passed.every(Boolean) ? 0 : 1);
