/** Fields of a model become the components of a form-js form. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { type GeneratedField, generatedForm } from "../../../src/processes/bpmn/generatedForm.ts";
import { readGeneratedForms } from "../../../src/processes/bpmn/readModel.ts";
import { namesOf } from "../../../src/processes/formVariables.ts";

const field = (id: string, more: Partial<GeneratedField> = {}): GeneratedField => ({
  id,
  label: undefined,
  type: "string",
  defaultValue: undefined,
  datePattern: undefined,
  constraints: [],
  values: [],
  ...more,
});

interface Shown {
  readonly components: readonly Readonly<Record<string, unknown>>[];
}

const only = (more: Partial<GeneratedField>) => {
  const { schema, warnings } = generatedForm("form", [field("x", more)]);
  const { id: _id, key: _key, ...component } = (schema as unknown as Shown).components[0] ?? {};
  return { component, warnings };
};

test.each<[string, Partial<GeneratedField>, object]>([
  [
    "string",
    { label: "Name", defaultValue: "Jane" },
    { type: "textfield", label: "Name", defaultValue: "Jane" },
  ],
  ["long", { defaultValue: "-7" }, { type: "number", label: "x", decimalDigits: 0, defaultValue: -7 }],
  ["boolean", { defaultValue: "true" }, { type: "checkbox", label: "x", defaultValue: true }],
  [
    "date",
    { defaultValue: "31/01/2026" },
    { type: "datetime", subtype: "date", dateLabel: "x", defaultValue: "2026-01-31" },
  ],
  [
    "enum",
    {
      values: [
        { id: "a", name: "Apple" },
        { id: "b", name: undefined },
      ],
      defaultValue: "b",
    },
    {
      type: "select",
      label: "x",
      defaultValue: "b",
      values: [
        { label: "Apple", value: "a" },
        { label: "b", value: "b" },
      ],
    },
  ],
])("%s", (type, more, expected) => {
  expect(only({ type, ...more })).toEqual({ component: expected, warnings: [] } as never);
});

const constraints = (...given: [string, string?][]) => ({
  constraints: given.map(([name, config]) => ({ name, config })),
});

test("constraints become rules of the form", () => {
  const text = only(constraints(["required"], ["minlength", "2"], ["maxlength", "20"], ["readonly", "true"]));
  expect(text.component).toMatchObject({
    readonly: true,
    validate: { required: true, minLength: 2, maxLength: 20 },
  });
  const number = only({ type: "long", ...constraints(["min", "-5"], ["max", "10"]) });
  expect(number.component).toMatchObject({ validate: { min: -5, max: 10 } });
  expect([...text.warnings, ...number.warnings]).toEqual([]);
});

test("a boolean that is required may be false", () => {
  expect(only({ type: "boolean", ...constraints(["required"]) }).component).not.toHaveProperty("validate");
});

test.each<[string, Partial<GeneratedField>]>([
  ["a validator in Java", constraints(["validator", "com.example.Iban"])],
  ["a limit that is not a number", { type: "long", ...constraints(["max", `\${limit}`]) }],
  ["a length of a number", { type: "long", ...constraints(["maxlength", "3"]) }],
  ["a default that is an expression", { defaultValue: `\${applicant}` }],
  ["a default that is no number", { type: "long", defaultValue: "many" }],
  ["a default that is no boolean", { type: "boolean", defaultValue: "yes" }],
  ["a default that is no choice", { type: "enum", defaultValue: "z" }],
  ["a day that does not exist", { type: "date", defaultValue: "30/02/2026" }],
  ["a date in another form", { type: "date", datePattern: "yyyy-MM-dd", defaultValue: "31/01/2026" }],
])("%s is ignored with a warning", (_, more) => {
  const { component, warnings } = only(more);
  expect(warnings).toEqual([expect.stringMatching(/^The form field "x" .* ignored\./)]);
  expect(component).not.toHaveProperty("defaultValue");
  expect(component).not.toHaveProperty("validate");
});

test.each(["file", "com.example.Money", "", "toString", "__proto__"])(
  'a field of the type "%s" is left out with a warning',
  (type) => {
    const { schema, warnings } = generatedForm("form", [field("x", { type }), field("y")]);
    expect(namesOf(schema)("x")).toBe(false);
    expect(namesOf(schema)("y")).toBe(true);
    expect(warnings).toEqual([expect.stringContaining('The form field "x" is left out')]);
  },
);

test("of two fields with one id the first counts; an id with a dot and one that is missing are left out", () => {
  const fields = [field("x", { label: "First" }), field("x", { label: "Second" }), field("a.b"), field("")];
  const { schema, warnings } = generatedForm("form", fields);
  expect((schema as unknown as Shown).components).toEqual([
    { id: "field_1", key: "x", type: "textfield", label: "First" },
  ]);
  expect(warnings).toHaveLength(3);
});

test("a date with a time of day has a field for both", () => {
  const { component } = only({ type: "date", datePattern: "yyyy-MM-dd'T'HH:mm:ss" });
  expect(component).toMatchObject({ type: "datetime", subtype: "datetime", dateLabel: "x" });
});

test("a whole number beyond 2^53 keeps its digits", () => {
  const { component } = only({ type: "long", defaultValue: "9007199254740993" });
  expect(component).toMatchObject({ serializeToString: true, defaultValue: "9007199254740993" });
});

const anyField: fc.Arbitrary<GeneratedField> = fc.record({
  id: fc.oneof(fc.string(), fc.constantFrom("a", "b", "a.b", "__proto__", "constructor")),
  label: fc.option(fc.oneof(fc.string(), fc.constantFrom("=1 + 1", "{{name}}", '="x"')), { nil: undefined }),
  type: fc.oneof(fc.constantFrom("string", "long", "boolean", "date", "enum"), fc.string()),
  defaultValue: fc.option(fc.oneof(fc.string(), fc.constantFrom("1", "true", "31/12/1999", "a")), {
    nil: undefined,
  }),
  datePattern: fc.option(fc.oneof(fc.string(), fc.constantFrom("dd/MM/yyyy", "d.M.yyyy", "dd[(MM)*yyyy")), {
    nil: undefined,
  }),
  constraints: fc.array(
    fc.record({
      name: fc.constantFrom("required", "readonly", "min", "max", "minlength", "maxlength", "validator"),
      config: fc.option(fc.oneof(fc.string(), fc.integer().map(String)), { nil: undefined }),
    }),
  ),
  values: fc.array(fc.record({ id: fc.string(), name: fc.option(fc.string(), { nil: undefined }) })),
});

test("any fields make a form with a component for each field that no warning leaves out", () => {
  fc.assert(
    fc.property(fc.array(anyField, { maxLength: 8 }), (fields) => {
      const { schema, warnings } = generatedForm("form", fields);
      const { components } = schema as unknown as Shown;
      const leftOut = warnings.filter((text) => text.includes(" is left out: ")).length;
      expect(components.length).toBe(fields.length - leftOut);
      const isOfForm = namesOf(schema);
      for (const { key } of components) expect(isOfForm(String(key))).toBe(true);
      expect(new Set(components.map(({ key }) => key)).size).toBe(components.length);
      expect(new Set(components.map(({ id }) => id)).size).toBe(components.length);
      expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
    }),
  );
});

test("no label is evaluated by form-js", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      for (const label of [text, `=${text}`, `{{${text}}}`]) {
        const isPlain = !label.startsWith("=") && !label.includes("{{");
        const asFeel = `="${label.replaceAll(/["\\]/g, "\\$&")}"`;
        expect(only({ label }).component.label).toBe(label === "" ? "x" : isPlain ? label : asFeel);
      }
    }),
  );
});

test("dates of any day in any numeric pattern are read", () => {
  const pattern = fc.constantFrom("dd/MM/yyyy", "yyyy-MM-dd", "d.M.yyyy", "MM/dd/yyyy", "yyyyMMdd");
  const day = fc.date({
    min: new Date("1000-01-01"),
    max: new Date("9999-12-31"),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(pattern, day, (datePattern, date) => {
      const [iso = ""] = date.toISOString().split("T");
      const [year = "", month = "", dayOfMonth = ""] = iso.split("-");
      const short = (text: string) => String(Number(text));
      const defaultValue = datePattern
        .replace("yyyy", year)
        .replace(/MM/, month)
        .replace(/M/, short(month))
        .replace(/dd/, dayOfMonth)
        .replace(/d/, short(dayOfMonth));
      expect(only({ type: "date", datePattern, defaultValue }).component).toMatchObject({
        defaultValue: iso,
      });
    }),
  );
});

const ofAnotherEngine = (prefix: string) => `<definitions
 xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:${prefix}="http://${prefix}.org/schema/1.0/bpmn"
 targetNamespace="x"><process id="p" isExecutable="true"><startEvent id="s"><extensionElements>
 <${prefix}:formData><${prefix}:formField id="amount" label="Amount" type="long"><${prefix}:validation>
 <${prefix}:constraint name="min" config="1"/></${prefix}:validation></${prefix}:formField></${prefix}:formData>
 </extensionElements></startEvent><callActivity id="c" calledElement="q"/></process></definitions>`;

test("forms are read from models of other engines, in the names of Camunda and of Operaton", async () => {
  for (const prefix of ["camunda", "operaton"]) {
    const forms = await readGeneratedForms(ofAnotherEngine(prefix));
    expect(forms.starts.get("p")).toMatchObject({
      components: [{ key: "amount", type: "number", label: "Amount", validate: { min: 1 } }],
    });
    expect(forms.elements.get("s")).toBe(forms.starts.get("p") as never);
  }
  expect((await readGeneratedForms("no model")).elements.size).toBe(0);
});
