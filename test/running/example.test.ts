/** `bun run example`, as in the README: plays the loan application against a new server. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { inFolder, repository } from "../support/waybillProcess.ts";

setDefaultTimeout(120_000);

async function play(environment: Record<string, string>): Promise<{ code: number; output: string }> {
  const child = Bun.spawn([process.execPath, join(repository, "examples/loan-application/play.ts")], {
    cwd: repository,
    env: { PATH: process.env.PATH ?? "", ...environment },
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

/** The output that the README prints. */
async function printed(): Promise<string> {
  const readme = await Bun.file(join(repository, "README.md")).text();
  const [, block = ""] = /^```\n(deployed .*?)^```$/ms.exec(readme) ?? [];
  expect(block).toContain("received card.png, image/png, 720 bytes");
  return block;
}

/** The text without the ids of instances, which the README shortens. */
const steady = (text: string) => text.replaceAll(/\([0-9a-f-]{13,}…?:/g, "(<id>:");

test("the loan application arrives, is refused once, corrected and reviewed", async () => {
  await inFolder(async (folder, start) => {
    const environment = { DATA_DIR: folder, OUTBOUND_ALLOW: "127.0.0.1:4000" };
    const port = String(20_000 + Math.floor(Math.random() * 10_000));
    const url = `http://127.0.0.1:${port}`;
    const server = start({ environment: { ...environment, PORT: port, PUBLIC_BASE_URL: url } });
    await server.listening;
    const { code, output } = await play({ WAYBILL_URL: url, DATA_DIR: folder });
    expect(steady(output)).toStartWith(steady(await printed()));
    expect(output.match(/the instance is completed/g)).toHaveLength(2);
    expect(code).toBe(0);
  });
});

test("if the server is not allowed to call the receiver, the example says what to do", async () => {
  await inFolder(async (folder, start) => {
    const server = start({ environment: { DATA_DIR: folder } });
    const url = await server.listening;
    const { code, output } = await play({ WAYBILL_URL: url, DATA_DIR: folder });
    expect(output).toContain("127.0.0.1:4000 to OUTBOUND_ALLOW");
    expect(code).not.toBe(0);
  });
});
