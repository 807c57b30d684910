import { expect, test } from "bun:test";
import fc from "fast-check";
import { parseServiceTask } from "../../../src/processes/delivery/serviceTask.ts";

const name = fc.oneof(
  fc.constantFrom("method", "url", "body", "content_type", "result_variable", "timeout_seconds", "addon"),
  fc.constantFrom("parameters", "redirect_failures_to_error_boundary", "__proto__", "constructor"),
  fc.string({ unit: "binary" }).map((text) => `header.${text}`),
  fc.string({ unit: "binary" }).map((text) => `query.${text}`),
);
const value = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("POST", "https://h/${a}", '{"a":${a}}', "<a>${a}</a>", "true", "30", "text/xml", "${a}"),
  fc
    .array(fc.constantFrom("${", "}", "a", '"', "{", "<", "&", "%", "\\", "/", ":", "\0", "\ud800"))
    .map((parts) => parts.join("")),
);
const topic = fc.oneof(
  fc.constantFrom("api-call", "addon"),
  fc.string(),
  fc.constantFrom("toString", "__proto__"),
);
const properties = fc
  .array(fc.tuple(name, value), { maxLength: 8 })
  .map((entries): Record<string, string> => Object.fromEntries(entries));

test("any properties give a configuration or faults, each a sentence", () => {
  fc.assert(
    fc.property(topic, properties, (topic, properties) => {
      const parsed = parseServiceTask(topic, properties);
      if ("config" in parsed) return;
      expect(parsed.faults.length).toBeGreaterThan(0);
      for (const fault of parsed.faults) expect(fault).toMatch(/^.+[.]$/s);
    }),
    { numRuns: 2000 },
  );
});
