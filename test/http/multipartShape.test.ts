import { expect, test } from "bun:test";
import Type from "typebox";
import { operations } from "../../src/generated/operations.ts";
import { multipartShape } from "../../src/http/multipartShape.ts";

const file = Type.Unsafe({ type: "object", required: ["path"] });

test("a file field takes one file, an array of files takes its maxItems", () => {
  const schema = Type.Object({ bpmn: file, text: Type.String(), form: Type.Array(file, { maxItems: 50 }) });
  expect(multipartShape(schema)).toEqual({
    fileFields: new Map([
      ["bpmn", { many: false, maxFiles: 1 }],
      ["form", { many: true, maxFiles: 50 }],
    ]),
    maxFiles: 51,
  });
});

test("an array of files without maxItems is an error in the contract", () => {
  expect(() => multipartShape(Type.Object({ file: Type.Array(file) }))).toThrow("file");
});

test("the contract says how many files each of its multipart bodies takes", () => {
  const shapes = Object.values(operations).flatMap(({ id, body }) =>
    body?.contentType === "multipart/form-data" ? [[id, multipartShape(body.schema).maxFiles]] : [],
  );
  expect(Object.fromEntries(shapes)).toEqual({
    uploadAttachment: 1,
    uploadPublicAttachment: 1,
    uploadFile: 1,
    deployProcess: 51,
    postMessage: 5,
  });
});
