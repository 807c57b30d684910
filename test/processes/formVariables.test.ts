import { expect, test } from "bun:test";
import { namesOf } from "../../src/processes/formVariables.ts";

const form = {
  components: [
    { type: "text", text: "# Loan" },
    { type: "textfield", key: "applicant" },
    { type: "number", key: "loan.amount" },
    { type: "filepicker", key: "documents", multiple: true },
    { type: "group", components: [{ type: "textfield", key: "in_group" }] },
    { type: "group", path: "address", components: [{ type: "textfield", key: "city" }] },
    {
      type: "dynamiclist",
      path: "children",
      components: [
        { type: "textfield", key: "name" },
        { type: "filepicker", key: "birth.certificate" },
      ],
    },
    { type: "button", action: "submit" },
  ],
};

test.each([
  "applicant",
  "loan",
  "documents",
  "documents_2",
  "documents_10",
  "in_group",
  "address",
  "children",
  "children_1_birth_certificate",
  "children_12_birth_certificate_2",
])("%s is the form's", (name) => {
  expect(namesOf(form)(name)).toBe(true);
});

test.each([
  "approved",
  "amount",
  "applicant_2",
  "documents_",
  "documents_x",
  "Applicant",
  "city",
  "children_birth_certificate",
  "children_1_name",
  "__proto__",
  "",
])("%p is not", (name) => {
  expect(namesOf(form)(name)).toBe(false);
});

test("no form and odd forms have no variables", () => {
  expect(namesOf(null)("a")).toBe(false);
  for (const odd of [
    {},
    { components: "a" },
    { components: [{}, { key: 1 }, { key: "" }, { path: 2, components: [{ key: "a" }] }] },
  ])
    expect(namesOf(odd)("")).toBe(false);
});

test("a thousand names are compared with a form of a thousand fields in lists quickly", () => {
  const field = (index: number) => ({
    type: "dynamiclist",
    path: `list_${index}`,
    components: [{ type: "filepicker", key: `file_${index}` }],
  });
  const isOfForm = namesOf({ components: Array.from({ length: 1_000 }, (_, index) => field(index)) });
  expect(isOfForm("list_7_12_file_7_3")).toBe(true);
  expect(isOfForm("list_7_12_file_8")).toBe(false);
  const begun = performance.now();
  for (let index = 0; index < 1_000; index++) isOfForm(`list_${index}_1_file_1`);
  expect(performance.now() - begun).toBeLessThan(500);
});
