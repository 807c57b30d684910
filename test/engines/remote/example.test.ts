/** `bun run example --engine`: the loan application in a remote engine, with a Waybill server of its own. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { plainEnvironment, repository } from "../../support/waybillProcess.ts";
import { engineEnvironment, freshSlug } from "../engine.ts";

setDefaultTimeout(120_000);

async function play(engine: string): Promise<{ code: number; output: string }> {
  const command = [
    process.execPath,
    join(repository, "examples/loan-application/play.ts"),
    "--engine",
    engine,
  ];
  const child = Bun.spawn(command, {
    cwd: repository,
    env: { ...plainEnvironment(), WAYBILL_TENANT: freshSlug() },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, output: output + errors };
}

test("the loan application arrives, is refused once, corrected and reviewed", async () => {
  const { code, output } = await play(engineEnvironment.ENGINE_URL ?? "");
  expect(output).toContain("deployed loan_application, version 1\n");
  expect(output).toContain("received card.png, image/png, 720 bytes");
  expect(output).toContain("task: Correct the application");
  expect(output).toContain("task: Review the application");
  expect(output.match(/the instance is completed/g)).toHaveLength(2);
  expect(code).toBe(0);
});

test("with an engine that it cannot work with, it says what Waybill said", async () => {
  const { code, output } = await play("not-an-address");
  expect(output).toContain("ENGINE_URL");
  expect(code).toBe(1);
});
