/** The drafts of a form, with an uploader whose answers the test controls. */
import { expect, test } from "bun:test";
import { createDrafts } from "../../../sdk/src/formjs/drafts.ts";
import type { Draft } from "../../../sdk/src/formjs/index.ts";
import { ProblemError, type Uploader } from "../../../sdk/src/index.ts";

const draft = (id: string, { field = "card", name = "a.png", size = 3 } = {}): Draft => ({
  field_name: field,
  metadata: {
    attachment_id: `0c8f9f0e-6f0b-4b8a-9d3e-${id.padStart(12, "0")}`,
    file_name: name,
    mime_type: "image/png",
    size,
    type: "file_attachment",
    uploaded_at: "2026-11-21T08:00:00.000000Z",
  },
});
const file = new File(["abc"], "a.png");

/** `upload` answers each call. `onServer` are the drafts that the server reports. */
function setUp(upload: () => Promise<Draft["metadata"]>, onServer: readonly Draft[] = []) {
  const removed: string[] = [];
  const uploader = {
    upload,
    remove: async (id: string) => void removed.push(id),
  } as unknown as Uploader;
  const findDrafts = async () => onServer;
  const drafts = createDrafts({ uploader, known: [], findDrafts, onChange: () => {} });
  return { drafts, removed };
}
const lost = async () => {
  throw new TypeError("fetch failed");
};
const toNowhere = { fieldName: "card", attach: () => {} };
const idOf = ({ metadata }: Draft) => metadata.attachment_id;

test("a draft is in the form's data before any other change of the data", async () => {
  let data = {};
  const { drafts, removed } = setUp(async () => {
    let follows = Promise.resolve();
    for (let step = 0; step < 20; step++) follows = follows.then(() => drafts.follow(data));
    return draft("1").metadata;
  });
  const attach = (metadata: object) => {
    data = { card: JSON.stringify(metadata) };
  };
  await drafts.upload(file, { fieldName: "card", attach });
  await Bun.sleep(0);
  expect(removed).toEqual([]);
});

test("the draft of an upload without an answer is removed once; other unknown drafts take up room", async () => {
  const left = draft("1");
  const others = [
    draft("2"),
    draft("3", { field: "scan" }),
    draft("4", { name: "b.png" }),
    draft("5", { size: 4 }),
  ];
  const { drafts, removed } = setUp(lost, [left, ...others]);
  await expect(drafts.upload(file, toNowhere)).rejects.toThrow("fetch failed");
  await drafts.lookForLost();
  await drafts.settled();
  expect(removed).toEqual([idOf(left)]);
  expect(drafts.usage()).toEqual({ files: 4, bytes: 13 });
});

test("after an answer nothing is looked up", async () => {
  const refused = new Response(
    JSON.stringify({ success: false, status: 422, code: "pdf_damaged", message: "A sentence." }),
    {
      status: 422,
    },
  );
  const refusal = await ProblemError.from(refused);
  const { drafts, removed } = setUp(() => Promise.reject(refusal), [draft("1")]);
  await expect(drafts.upload(file, toNowhere)).rejects.toThrow("A sentence.");
  await drafts.lookForLost();
  expect(removed).toEqual([]);
});

test("the draft of a running upload is not mistaken for a lost one", async () => {
  const answer = Promise.withResolvers<Draft["metadata"]>();
  const answers = [lost, () => answer.promise];
  const { drafts, removed } = setUp(() => answers.shift()?.() ?? lost(), [draft("1")]);
  await expect(drafts.upload(file, toNowhere)).rejects.toThrow("fetch failed");
  const second = drafts.upload(file, toNowhere);
  await drafts.lookForLost();
  expect(removed).toEqual([]);
  answer.resolve(draft("1").metadata);
  await second;
  await drafts.lookForLost();
  expect(removed).toEqual([]);
});
