/** compose.yaml is documentation that is held against the code: what it sets is what the server takes. */
import { expect, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import manifest from "../../package.json";
import { parseConfig } from "../../src/config.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => Bun.file(`${root}${path}`).text();

interface Service {
  readonly image?: string;
  readonly build?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: object;
  readonly volumes?: readonly string[];
}
const { services } = parse(await read("compose.yaml"), { merge: true }) as {
  services: Record<string, Service>;
};
const waybills = Object.values(services).filter(({ build }) => build !== undefined);

test("two processes with the same configuration, which the server takes as complete", () => {
  expect(waybills).toHaveLength(2);
  expect(waybills[0]?.environment).toEqual(waybills[1]?.environment ?? {});
  const config = parseConfig(waybills[0]?.environment ?? {}, "/");
  for (const name of [
    "databaseUrl",
    "s3",
    "accessTokens",
    "publicBaseUrl",
    "downloadTokenSecret",
    "formTokenSecret",
  ] as const)
    expect(config[name]).toBeTruthy();
});

test("every variable that it sets is in the README's table", async () => {
  const readme = await read("README.md");
  for (const name of Object.keys(waybills[0]?.environment ?? {})) expect(readme).toContain(`\`${name}\``);
});

test("images are pinned, what services depend on is there, and the files that they mount are", async () => {
  for (const { image, depends_on = {}, volumes = [] } of Object.values(services)) {
    if (image) expect(image).toMatch(/^[\w./-]+:v?\d+(\.\d+)+$/);
    const needed = Array.isArray(depends_on) ? depends_on : Object.keys(depends_on);
    for (const name of needed) expect(Object.keys(services)).toContain(name);
    for (const [, path] of volumes.map((volume) => /^\.\/([^:]+):/.exec(volume) ?? []))
      if (path) expect(await Bun.file(`${root}${path}`).exists()).toBe(true);
  }
});

test("the image runs the Bun that package.json pins, and the proxy knows both processes", async () => {
  expect(await read("Dockerfile")).toContain(`FROM oven/${manifest.packageManager.replace("@", ":")}\n`);
  const caddy = await read("deploy/Caddyfile");
  for (const name of ["waybill-1:3000", "waybill-2:3000"]) expect(caddy).toContain(name);
});
