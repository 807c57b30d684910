/** Which variables name attachments, and how their text comes to say what the server knows. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { attachmentIdsOf, withServerFacts } from "../../../src/processes/variables/attachments.ts";
import { parseVariables } from "../../../src/processes/variables/parse.ts";

test("attachments are named by Strings and Json, under either key, each once", () => {
  const ids = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()] as const;
  const metadata = (id: string, key = "attachment_id") => ({ file_name: "a.pdf", [key]: id });
  const variables = parseVariables({
    variables: {
      text: { value: JSON.stringify(metadata(ids[0])) },
      again: { value: JSON.stringify(metadata(ids[0].toUpperCase(), "id")) },
      json: { value: metadata(ids[1], "id") },
      jsonText: { value: JSON.stringify(metadata(ids[2])), type: "Json" },
      list: { value: [metadata(crypto.randomUUID())] },
      none: { value: null, type: "String" },
      empty: { value: null, type: "Json" },
      number: { value: 5 },
      other: { value: "{" },
    },
  });
  expect(attachmentIdsOf(variables)).toEqual([...ids]);
});

const file = { fileName: 'a "b" $&.png', mimeType: "image/png", size: 70 };
const facts = { file_name: file.fileName, mime_type: file.mimeType, size: file.size };
const text = JSON.stringify(facts).slice(1, -1);

test.each([
  ["true facts", `{"id":"x",${text},"type":"y"}`, `{"id":"x",${text},"type":"y"}`],
  ["nothing but the name", '{"file_name":"forged"}', `{${text}}`],
  ["white space", '{ "size" : 1 ,\n"file_name": "forged"\n}', undefined],
  ["facts that are no text", '{"size":{"size":[1,"}"]},"mime_type":null,"file_name":"a"}', undefined],
  ["a key in escapes", '{"file\\u005fname":"forged"}', undefined],
  ["an empty key and __proto__", '{"":1,"__proto__":{"size":1},"file_name":"a"}', undefined],
])("metadata with %s says the facts, and all else as before", (_, metadata, expected) => {
  const stated = withServerFacts(metadata, file);
  if (expected !== undefined) expect(stated).toBe(expected);
  expect(JSON.parse(stated)).toEqual({ ...JSON.parse(metadata), ...facts });
});

test("what a parser would lose or refuse is kept as it was written", () => {
  const odd =
    '"n":12345678901234567890,"m":1.10,"e":-0,"s":"\\ud800\\u0000\\/","twice":{"k":1,"k":2},"10":1,"2":2';
  const nested = `"deep":${"[".repeat(200_000)}${"]".repeat(200_000)}`;
  const metadata = (name: string) =>
    `{${odd},"file_name":${name},"mime_type":"image/png","size":70,${nested}}`;
  expect(withServerFacts(metadata('"forged"'), file)).toBe(metadata(JSON.stringify(file.fileName)));
});

test("a fact that stands twice is corrected in both places", () => {
  const twice = '{"size":1,"file_name":"x","size":2,"mime_type":"y"}';
  const { file_name, mime_type } = facts;
  expect(withServerFacts(twice, file)).toBe(
    `{"size":70,"file_name":${JSON.stringify(file_name)},"size":70,"mime_type":"${mime_type}"}`,
  );
});

test("any object says the facts, and everything else that it said", () => {
  const key = fc.oneof(fc.string(), fc.constantFrom("file_name", "mime_type", "size"));
  const object = fc.dictionary(key, fc.jsonValue(), { minKeys: 1 });
  fc.assert(
    fc.property(object, fc.nat(3), (members, indent) => {
      const metadata = JSON.stringify(members, null, indent);
      expect(JSON.parse(withServerFacts(metadata, file))).toEqual({ ...JSON.parse(metadata), ...facts });
    }),
  );
});
