/** What a file field holds, and what becomes of it: each file a variable that a process recognises. */
import { expect, test } from "bun:test";
import { attachedFiles, fieldValue, filesIn, spreadFiles } from "../../../sdk/src/formjs/attachedFiles.ts";
import { dataWithDrafts } from "../../../sdk/src/formjs/draftsInForm.ts";
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

test("one file is held as its metadata, several as their list, none as null", () => {
  expect(fieldValue([])).toBeNull();
  expect(fieldValue([one])).toBe(text(one));
  expect(attachedFiles(fieldValue([one]))).toEqual([one]);
  expect(attachedFiles(fieldValue([one, two]))).toEqual([one, two]);
});

test.each([[null], [""], ["hello"], ["{}"], ["[1]"], [7], ['{"attachment_id":"x"}']])(
  "what is no metadata is no file: %p",
  (value) => expect(attachedFiles(value)).toEqual([]),
);

test("files are found wherever they stand in the form's data", () => {
  const data = { card: text(one), rows: [{ scan: text([two, three]) }, {}], amount: 7, name: "Jane" };
  expect(filesIn(data)).toEqual([one, two, three]);
});

test("each of several files gets a variable of its own, which a reader recognises", () => {
  const data: Record<string, unknown> = { documents: fieldValue([one, two, three]), documents_2: "taken" };
  spreadFiles(data, [["documents"]]);
  expect(data).toEqual({
    documents: text(one),
    documents_2: "taken",
    documents_3: text(two),
    documents_4: text(three),
  });
  for (const name of ["documents", "documents_3", "documents_4"])
    expect(readAttachmentVariable(data[name])).toMatchObject({ kind: "attachment" });
});

test("a file inside a group or a list is put beside it, under the names of its path", () => {
  const data: Record<string, unknown> = {
    person: { card: text(one) },
    rows: [{}, { scan: text([two, three]) }],
  };
  spreadFiles(data, [
    ["person", "card"],
    ["rows", 1, "scan"],
    ["rows", 0, "scan"],
  ]);
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

test("drafts return to the fields that they were uploaded for: all of them, or the last where one file is taken", () => {
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
