/** The value of a file field, and the variables that the process gets: one for each file. */
import { expect, test } from "bun:test";
import {
  attachedFiles,
  fieldValue,
  filesIn,
  keepFiles,
  spreadFiles,
} from "../../../sdk/src/formjs/attachedFiles.ts";
import { dataWithDrafts } from "../../../sdk/src/formjs/draftsInForm.ts";
import { withoutRow } from "../../../sdk/src/formjs/paths.ts";
import { variableNames } from "../../../sdk/src/formjs/schema.ts";
import { readAttachmentVariable } from "../../../sdk/src/index.ts";

const file = (number: number) => ({
  attachment_id: `0c8f9f0e-6f0b-4b8a-9d3e-${String(number).padStart(12, "0")}`,
  file_name: `${number}.png`,
  mime_type: "image/png",
  size: number,
  type: "file_attachment" as const,
  uploaded_at: "2026-11-21T08:00:00.000000Z",
});
const [one, two, three] = [file(1), file(2), file(3)];
const text = (value: unknown) => JSON.stringify(value);

const value = (...files: object[]) => fieldValue(files.map((metadata) => ({ metadata })));
const metadataIn = (data: unknown) => filesIn(data).map(({ metadata }) => metadata);

test("one file is stored as its metadata, several files as a list, no file as null", () => {
  expect(value()).toBeNull();
  expect(value(one)).toBe(text(one));
  expect(metadataIn(value(one))).toEqual([one]);
  expect(metadataIn(value(one, two))).toEqual([one, two]);
});

test("a file has a name, and a UUID in attachment_id or else in id", () => {
  const official = { id: one.attachment_id, file_name: "official.pdf" };
  expect(attachedFiles(text(official))).toEqual([
    {
      kind: "attachment",
      attachmentId: one.attachment_id,
      fileName: "official.pdf",
      metadata: official,
    },
  ]);
  expect(value(official)).toBe(text(official));
});

test.each([
  [null],
  [""],
  ["hello"],
  ["{}"],
  ["[1]"],
  [7],
  [text({ attachment_id: one.attachment_id })],
  [text({ attachment_id: "nope", file_name: "nope.pdf" })],
])("a value that is not metadata is not a file: %p", (given) => expect(attachedFiles(given)).toEqual([]));

test("files are found at any depth of the form's data", () => {
  const data = { card: text(one), rows: [{ scan: text([two, three]) }, {}], amount: 7, name: "Jane" };
  expect(metadataIn(data)).toEqual([one, two, three]);
});

test("unwanted files are removed at any depth, and nothing else is", () => {
  const data = { card: text(one), rows: [{ scan: text([two, three]) }, {}], amount: 7, name: null };
  expect(keepFiles(data, ({ fileName }) => fileName === "2.png")).toEqual({
    card: null,
    rows: [{ scan: text(two) }, {}],
    amount: 7,
    name: null,
  } as unknown as typeof data);
});

test("each of several files gets its own variable", () => {
  const data: Record<string, unknown> = { documents: value(one, two, three), documents_2: "taken" };
  const form = {
    components: [{ key: "documents" }, { components: [{ key: "documents_4.of_a_group" }] }, { path: "list" }],
  };
  spreadFiles(data, { paths: [["documents"]], taken: variableNames(form) });
  expect(data).toEqual({
    documents: text(one),
    documents_2: "taken",
    documents_3: text(two),
    documents_5: text(three),
  });
  for (const name of ["documents", "documents_3", "documents_5"])
    expect(readAttachmentVariable(data[name])).toMatchObject({ kind: "attachment" });
});

test("a file inside of a group or list gets a top-level variable, named by its path", () => {
  const data: Record<string, unknown> = {
    person: { card: text(one) },
    rows: [{}, { scan: text([two, three]) }],
  };
  const paths = [
    ["person", "card"],
    ["rows", 1, "scan"],
    ["rows", 0, "scan"],
  ];
  spreadFiles(data, { paths, taken: [] });
  expect(data).toMatchObject({
    person_card: text(one),
    rows_2_scan: text(two),
    rows_2_scan_2: text(three),
  });
});

const schema = {
  components: [
    { type: "filepicker", key: "card" },
    { type: "filepicker", key: "documents", multiple: true },
    { type: "dynamiclist", path: "rows", components: [{ type: "filepicker", key: "scan" }] },
  ],
};

test("drafts return to their fields: all of them, or the last one if the field takes one file", () => {
  const drafts = [
    { field_name: "card", metadata: one },
    { field_name: "card", metadata: two },
    { field_name: "documents", metadata: one },
    { field_name: "documents", metadata: three },
    { field_name: "rows.1.scan", metadata: two },
    { field_name: "a field of an earlier form", metadata: one },
  ];
  const typed = { name: "Jane", rows: [{ note: "first" }, { note: "second" }] };
  expect(dataWithDrafts(typed, drafts, schema)).toEqual({
    name: "Jane",
    card: text(two),
    documents: text([one, three]),
    rows: [{ note: "first" }, { note: "second", scan: text(two) }],
  });
  expect(typed.rows[1]).toEqual({ note: "second" });
});

test("a draft in the data keeps its place, and no draft brings back a removed row", () => {
  const drafts = [
    { field_name: "rows.1.scan", metadata: one },
    { field_name: "rows.2.scan", metadata: two },
    { field_name: "documents", metadata: two },
    { field_name: "documents", metadata: three },
    { field_name: "card", metadata: three },
  ];
  const typed = { rows: [{ scan: text(one) }], documents: text(three), card: text(one) };
  expect(dataWithDrafts(typed, drafts, schema)).toEqual({
    rows: [{ scan: text(one) }],
    documents: text([three, two]),
    card: text(one),
  });
  expect(dataWithDrafts({}, drafts.slice(0, 1), schema)).toEqual({ rows: [{}, { scan: text(one) }] });
});

test("when a row is removed, its files go with it and later rows move up", () => {
  const row = { list: ["rows"], index: 1 };
  expect(withoutRow(["rows", 0, "scan"], row)).toEqual(["rows", 0, "scan"]);
  expect(withoutRow(["rows", 1, "scan"], row)).toBeUndefined();
  expect(withoutRow(["rows", 2, "scan"], row)).toEqual(["rows", 1, "scan"]);
  expect(withoutRow(["other", 2, "scan"], row)).toEqual(["other", 2, "scan"]);
  const inner = { list: ["rows", 2, "pages"], index: 0 };
  expect(withoutRow(["rows", 2, "pages", 3], inner)).toEqual(["rows", 2, "pages", 2]);
  expect(withoutRow(["rows", 1, "pages", 3], inner)).toEqual(["rows", 1, "pages", 3]);
});
