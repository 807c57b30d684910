/** The messages for refused files, before the upload and from the server, in both languages. */
import { describe, expect, test } from "bun:test";
import { allowedExtensions, checkLimits } from "../../../sdk/src/formjs/limits.ts";
import { type Language, messagesIn, refusalIn, size } from "../../../sdk/src/formjs/messages.ts";
import { indonesianRefusals } from "../../../sdk/src/formjs/refusals.ts";
import { indonesianTexts } from "../../../sdk/src/formjs/translation.ts";
import { ProblemError } from "../../../sdk/src/index.ts";
import { rejections } from "../../../src/files/content/rejection.ts";

const limits = { extensions: ["jpg", "png", "pdf"], maxFileBytes: 1000, maxFiles: 2, maxTotalBytes: 1500 };
const file = (name: string, bytes = 10) => new File([new Uint8Array(bytes)], name);
const refusal = (code: string, init: ResponseInit) =>
  ProblemError.from(
    new Response(JSON.stringify({ success: false, message: "A sentence.", code, status: init.status }), init),
  );

describe.each(["en", "id"] as const)("in %s", (language: Language) => {
  const messages = messagesIn(language);
  const check = (given: File, more: { accept?: string; usage?: { files: number; bytes: number } } = {}) => {
    const { accept = "", usage = { files: 0, bytes: 0 } } = more;
    return () => checkLimits(given, { ...limits, accept, usage }, messages);
  };

  test("type, emptiness, size, count and total have their own messages before a byte is sent", () => {
    expect(check(file("a.PNG"))).not.toThrow();
    expect(check(file("a.exe"))).toThrow(messages.wrongType(limits.extensions));
    expect(check(file("no extension"))).toThrow(messages.wrongType(limits.extensions));
    expect(check(file("a.png"), { accept: ".pdf" })).toThrow(messages.wrongType(["pdf"]));
    expect(check(file("a.png", 0))).toThrow(messages.empty);
    expect(check(file("a.png", 1001))).toThrow(messages.tooLarge(1000));
    expect(check(file("a.png"), { usage: { files: 2, bytes: 0 } })).toThrow(messages.noFilesLeft(2));
    expect(check(file("a.png", 600), { usage: { files: 1, bytes: 1000 } })).toThrow(
      messages.noBytesLeft(500),
    );
  });

  test("every refusal of the server has a message", async () => {
    for (const code of Object.keys(rejections)) {
      const message = refusalIn(language, await refusal(code, { status: 415 }));
      expect(message).toBe(language === "id" ? (indonesianRefusals[code] ?? "missing") : "A sentence.");
    }
    for (const code of ["payload_too_large", "session_quota_exceeded"])
      expect(refusalIn(language, await refusal(code, { status: 409 }))).not.toContain("A sentence.");
    const limited = await refusal("rate_limited", { status: 429, headers: { "Retry-After": "7" } });
    expect(refusalIn(language, limited)).toBe(messages.tooMany(7));
    expect(refusalIn(language, await refusal("storage_unavailable", { status: 503 }))).toBe(
      messages.serverFault,
    );
    expect(refusalIn(language, new TypeError("fetch failed"))).toBe(messages.unreachable);
  });
});

test("a field's accept narrows the server's file types", () => {
  expect(allowedExtensions(".pdf, .PNG", limits.extensions)).toEqual(["png", "pdf"]);
  expect(allowedExtensions("image/*", limits.extensions)).toEqual(["jpg", "png"]);
  expect(allowedExtensions("", limits.extensions)).toEqual(limits.extensions);
  expect(allowedExtensions(".pdf", undefined)).toEqual(["pdf"]);
});

test.each([
  [812, "1 kB"],
  [53_248, "52 kB"],
  [10_485_760, "10 MB"],
  [1_572_864, "1.5 MB"],
])("%d bytes are shown as %s", (bytes, said) => expect(size(bytes, "en")).toBe(said));

test("every visible text of form-js has an Indonesian translation", async () => {
  const source = await Bun.file(Bun.resolveSync("@bpmn-io/form-js-viewer", import.meta.dir)).text();
  const texts = [...source.matchAll(/translate\('((?:[^'\\]|\\.)*)'/g)].map(([, text = ""]) => text);
  const [, translate] = indonesianTexts.translate;
  // An example from the documentation, and texts of the field that this one replaces.
  const unused = ["HELLO {you}", "No files selected", "{value} files selected"];
  const missing = texts.filter((text) => translate(text) === text && !unused.includes(text));
  expect([...new Set(missing)]).toEqual([]);
});
