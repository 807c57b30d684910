/**
 * Runs the requests of the README and two guides as printed, and compares the answers with the printed ones.
 */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { examplesOf, runExamples, steady } from "../support/documentExamples.ts";
import { inFolder, repository } from "../support/waybillProcess.ts";

test("the requests of the README and the guides work and give the printed answers", async () => {
  await inFolder(async (folder, start) => {
    const port = String(20_000 + Math.floor(Math.random() * 10_000));
    const url = `http://127.0.0.1:${port}`;
    await start({ environment: { PORT: port, PUBLIC_BASE_URL: url } }).listening;
    for (const path of ["README.md", "docs/tables.md", "docs/service-tasks.md"]) {
      const examples = examplesOf(await Bun.file(join(repository, path)).text());
      expect(examples.length).toBeGreaterThan(2);
      const outputs = await runExamples(examples, { folder, url });
      for (const [index, { answers }] of examples.entries())
        expect(outputs[index]?.map(steady)).toEqual(answers.map(steady));
    }
    const sent = join(repository, "test/fixtures/content/libreoffice.docx");
    const received = Bun.file(join(folder, "contract.docx"));
    expect(await received.bytes()).toEqual(await Bun.file(sent).bytes());
  });
}, 60_000);
