/** `.githooks/commit-msg`: which commit messages it takes. */
import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Undefined where the hook takes the message, else its first line. */
async function refusal(message: string): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "waybill-commit-"));
  try {
    const file = join(folder, "COMMIT_EDITMSG");
    await Bun.write(file, message);
    const child = Bun.spawn([join(root, ".githooks/commit-msg"), file], { cwd: root, stderr: "pipe" });
    const errors = await new Response(child.stderr).text();
    return (await child.exited) === 0 ? undefined : (errors.split("\n")[0] ?? "");
  } finally {
    await rm(folder, { recursive: true });
  }
}

const body = "\n\nThe cause, what else was tried, and how it was checked.\n";

test.each([
  ["a title, an empty line and a body", `Refuse uploads while the disk is full${body}`],
  ["a title of 72 characters", `${"x".repeat(72)}${body}`],
  ["72 characters that have more bytes", `${"é".repeat(72)}${body}`],
  ["comments around the message", `# help\nFix it${body}# more help\n`],
  ["a body with paragraphs", `Fix it${body}\nAnother paragraph.\n\nCo-authored-by: A <a@example.org>\n`],
  ["a merge", "Merge branch 'main' into docs\n"],
  ["a fixup", "fixup! Refuse uploads while the disk is full\n"],
])("it takes %s", async (_name, message) => {
  expect(await refusal(message)).toBeUndefined();
});

test.each([
  ["an empty message", "# nothing\n", /is empty/],
  ["a title of 73 characters", `${"x".repeat(73)}${body}`, /73 characters; at most 72/],
  ["a title with a full stop", `Fix it.${body}`, /full stop/],
  ["a second line that is not empty", "Fix it\nbecause\n\nof something\n", /second line/],
  ["no body", "Fix it\n", /no body/],
  ["a body of comments", "Fix it\n\n# Please enter the commit message\n", /no body/],
  ["a body of trailers", "Fix it\n\nSigned-off-by: A <a@example.org>\n", /no body/],
  [
    "a body that is only the change below the scissors",
    `Fix it\n\n# ${"-".repeat(24)} >8 ${"-".repeat(24)}\n# Do not edit this line\ndiff --git a b\n`,
    /no body/,
  ],
])("it refuses %s", async (_name, message, why) => {
  expect(await refusal(message)).toMatch(why);
});

test("an install does not switch it on", async () => {
  const { scripts } = await Bun.file(join(root, "package.json")).json();
  expect(Object.values(scripts).join("\n")).not.toMatch(/hooksPath|githooks/);
  for (const name of ["install", "postinstall", "prepare"]) expect(scripts).not.toHaveProperty(name);
});
