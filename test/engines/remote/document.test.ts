/** Runs the requests of docs/engines.md as printed, beside the engine, and compares the answers with the printed ones. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { examplesOf, runExamples, steady } from "../../support/documentExamples.ts";
import { inFolder, repository } from "../../support/waybillProcess.ts";
import { engineEnvironment, freshSlug } from "../engine.ts";

/** The loan application calls this port, so no other test may use it meanwhile. */
const receiver = "127.0.0.1:4000";

test("the requests of docs/engines.md work and give the printed answers", async () => {
  const { ENGINE_URL = "" } = engineEnvironment;
  await inFolder(async (folder, start) => {
    const port = String(20_000 + Math.floor(Math.random() * 10_000));
    const url = `http://127.0.0.1:${port}`;
    const environment = { PORT: port, PUBLIC_BASE_URL: url, ENGINE_URL, OUTBOUND_ALLOW: receiver };
    await start({ environment }).listening;
    const examples = examplesOf(await Bun.file(join(repository, "docs/engines.md")).text());
    expect(examples.length).toBe(7);
    const slug = freshSlug();
    const written = (commands: string) =>
      commands
        .replaceAll("http://127.0.0.1:8080/engine-rest", ENGINE_URL)
        .replaceAll("acme", slug)
        // A machine that runs tests is slower than a reader's.
        .replaceAll(/sleep (\d)/g, (_, seconds) => `sleep ${Number(seconds) * 2}`);
    const outputs = await runExamples(examples, { folder, url, written });
    for (const [index, { answers }] of examples.entries())
      expect(outputs[index]?.map(steady)).toEqual(answers.map(steady));
    const received = await Bun.file(join(folder, "receiver.log")).text();
    expect(received.match(/ received card\.png, /g)).toHaveLength(2);
    expect(received.match(/ received libreoffice\.docx, /g)).toHaveLength(2);
  });
}, 120_000);
