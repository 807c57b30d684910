/** The commands that README promises a newcomer are those that CI runs, and of the Bun that the project is made for. */
import { expect, test } from "bun:test";
import manifest from "../package.json";

const read = (path: string) => Bun.file(new URL(`../${path}`, import.meta.url)).text();

test("CI runs README's test command, word for word", async () => {
  const command = `npx -y ${manifest.packageManager} run test`;
  expect(await read("README.md")).toContain(`\n${command} `);
  expect(await read(".ci/run")).toContain(` ${command} `);
});

test("README and CI name one Bun", async () => {
  for (const path of ["README.md", ".ci/run"]) {
    const named = (await read(path)).match(/\bbun@[\d.]*\d/g) ?? [];
    expect(new Set(named)).toEqual(new Set([manifest.packageManager]));
  }
});
