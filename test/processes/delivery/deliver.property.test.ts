/** Whatever the variables hold, the receiver gets the request that the template draws, with exactly their values. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import type { TypedValues } from "../../../src/processes/variables/variable.ts";
import { type CommittedAttachment, commit } from "../../support/attachments.ts";
import { allowLoopback } from "../../support/processes.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { carryOut, fileVariable, headerOf, withReceiver } from "./runs.ts";
import { text } from "./variables.ts";

setDefaultTimeout(60_000);
let server: TestServer;
let file: CommittedAttachment;
beforeAll(async () => {
  server = await startServer({ environment: allowLoopback, workers: false });
  file = await commit(server);
});
afterAll(() => server.stop());

const anyText = fc.string({ unit: "binary", maxLength: 40 });
/** What a path segment can be, and a header hold. */
const segment = anyText.filter((value) => !["", ".", ".."].includes(value));
const line = fc.string({ unit: "grapheme", maxLength: 40 }).filter((value) => !/[\p{Cc}]/u.test(value));
const placed = fc.constantFrom("${value}", "${card}", '"', "\\", "{", "[", "text", "$");

test("path, query, header and body carry each value exactly, and each file its own URL", async () => {
  const { processInstanceId } = file;
  await withReceiver(async ({ url, received }) => {
    const arrives = async (value: string, at: string, header: string, parts: string[]) => {
      const pieces = parts.map((part) => (part.startsWith("${") ? part : JSON.stringify(part).slice(1, -1)));
      // A lone $ before a brace would begin a placeholder of its own.
      fc.pre(!/\$(?=\{(?!value\}|card\}))/.test(pieces.join("")));
      const variables: TypedValues = {
        value: text(value),
        at: text(at),
        header: text(header),
        card: fileVariable(file),
      };
      const properties = {
        method: "POST",
        url: `${url}/a/\${at}/b?x=\${value}`,
        "query.q": "<${value}>",
        "header.X-Value": "v${header}v",
        body: `{"text":"${pieces.join("")}","whole":\${value}}`,
      };
      await carryOut(server, { properties, variables, processInstanceId });
      const request = received.at(-1);
      if (!request) throw new Error("nothing came");
      const { pathname, searchParams } = new URL(request.url, url);
      expect(pathname.split("/").map(decodeURIComponent)).toEqual(["", "a", at, "b"]);
      expect([...searchParams]).toEqual([
        ["x", value],
        ["q", `<${value}>`],
      ]);
      expect(headerOf(request, "x-value")).toEqual([`v${header}v`]);
      const sent = JSON.parse(request.body);
      expect(Object.keys(sent)).toEqual(["text", "whole"]);
      expect(sent.whole).toBe(value);
      const links = sent.text.match(/http:\/\/[^"]*?\?token=v1\.[\w-]{43}\.[\w-]{43}/g) ?? [];
      expect(new Set(links).size).toBe(parts.filter((part) => part === "${card}").length);
      const rest = links.reduce((left: string, link: string) => left.replace(link, "${card}"), sent.text);
      expect(rest).toBe(parts.map((part) => (part === "${value}" ? value : part)).join(""));
    };
    await fc.assert(fc.asyncProperty(anyText, segment, line, fc.array(placed, { maxLength: 6 }), arrives), {
      numRuns: 150,
    });
  });
});
