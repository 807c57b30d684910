/** A process that workers.test.ts pauses. It prints `begun`, and then how its work ended. */
import { createWorkers, workIn } from "../../../src/infrastructure/workers/workers.ts";

const workers = createWorkers({ threads: 2 });
const within = workIn<typeof import("./work.ts")>();
const file = new URL("./work.ts", import.meta.url);
await workers.run(within(file, "echo", 10_000), "loaded", "1");
const work = workers.run(within(file, "sleep", 2_000), 1_000, "1");
console.log("begun");
console.log(
  await work.then(
    () => "done",
    ({ name }) => name,
  ),
);
await workers.end();
