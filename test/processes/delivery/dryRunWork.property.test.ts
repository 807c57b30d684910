/** A dry run writes requests as they are written with the real secrets, and shows placeholders in their places. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { downloadPath } from "../../../src/files/attachments/issue.ts";
import { writeRequests } from "../../../src/processes/delivery/dryRunWork.ts";
import { writtenRequest } from "../../../src/processes/delivery/request.ts";
import type { TypedValues } from "../../../src/processes/variables/variable.ts";
import { configOf } from "./runs.ts";

const downloads = `https://files.example${downloadPath("{attachment_id}")}`;
const activityId = "call";
const run = (config: ReturnType<typeof configOf>, variables: TypedValues = {}, mostCharacters = 1_000_000) =>
  writeRequests({
    tasks: [{ activityId, config, addonUrl: "https://addon.example/" }],
    variables,
    downloads,
    mostCharacters,
  });

const text = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("$", "${", "secretn0e", "[token]"));
const types = ["application/json", "application/xml", "application/x-www-form-urlencoded", "text/plain"];
const bodies: Record<string, string> = {
  "application/json": '{"a":"${a}","s":"${secret.b}","t":"x${secret.c}"}',
  "application/xml": "<r s='${secret.b}'>${a}${secret.c}</r>",
  "application/x-www-form-urlencoded": "a=${a}&s=${secret.b}&t=${secret.c}",
  "text/plain": "${a} ${secret.b} ${secret.c}",
};

test("with values of letters for the secrets, the real request is the one that is shown", () => {
  fc.assert(
    fc.property(fc.constantFrom(...types), text, fc.stringMatching(/^[a-z]{1,9}$/), (type, a, value) => {
      const config = configOf({
        method: "POST",
        url: "https://a.example/${secret.b}?q=${a}",
        "header.X-Key": "Bearer ${secret.c}",
        content_type: type,
        body: bodies[type] ?? "",
      });
      const variables = { a: { type: "String", value: a } } as const;
      const real = attempt(() =>
        writtenRequest({
          config,
          addonUrl: undefined,
          variables,
          secrets: { b: `q0${value}0q`, c: `z1${value}1z` },
        }),
      );
      const [shown] = run(config, variables);
      const filled = (written: string) =>
        written.replaceAll("${secret.b}", `q0${value}0q`).replaceAll("${secret.c}", `z1${value}1z`);
      if (real === undefined) expect(shown).toHaveProperty("failure");
      else {
        const { method, url, headers, body } = JSON.parse(filled((shown as { json: string }).json));
        const { "Idempotency-Key": _key, ...others } = headers;
        expect({ method, url, headers: others, body }).toEqual(real.request as never);
      }
    }),
  );
});

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

test("a secret that begins the URL is shown there and wherever else it is", () => {
  const config = configOf({
    method: "POST",
    url: "${secret.base}/loans",
    "query.from": "${secret.base}",
    "header.X-From": "${secret.base}",
    body: '{"from":"${secret.base}","key":"${secret.key}"}',
  });
  const [shown] = run(config);
  expect(JSON.parse((shown as { json: string }).json)).toMatchObject({
    url: "${secret.base}/loans?from=${secret.base}",
    headers: { "X-From": "${secret.base}" },
    body: '{"from":"${secret.base}","key":"${secret.key}"}',
  });
});

test("requests that are larger than allowed together are not written", () => {
  const config = configOf({ method: "POST", url: "https://a.example/", body: '"${a}"' });
  const variables = { a: { type: "String", value: "x".repeat(1_000) } } as const;
  expect(run(config, variables, 1_000)).toBe("too_large");
  expect(run(config, variables, 2_000)).toHaveLength(1);
});
