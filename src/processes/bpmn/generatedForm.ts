/**
 * The fields of `camunda:formData` → a form-js form. A pure function, for every driver. What a form cannot say is left
 * out with a warning, so that a model is never refused because of its forms.
 */
import type { FormSchema } from "../engine.ts";
import { dateFormatOf, isoDateOf } from "./javaDates.ts";

/** One `formField`, as the model has it. */
export interface GeneratedField {
  readonly id: string;
  readonly label: string | undefined;
  readonly type: string;
  readonly defaultValue: string | undefined;
  /** A pattern of Java, such as `dd/MM/yyyy`. */
  readonly datePattern: string | undefined;
  readonly constraints: readonly { readonly name: string; readonly config: string | undefined }[];
  /** The choices of an `enum`. */
  readonly values: readonly { readonly id: string; readonly name: string | undefined }[];
}

export interface GeneratedForm {
  readonly schema: FormSchema;
  readonly warnings: readonly string[];
}

/** Components of a form. Uploaded forms have the same limit. */
const maxComponents = 2_000;
/** The version of form-js schemas that the forms are written in. */
const schemaVersion = 18;

type Warn = (detail: string) => void;
type Component = Readonly<Record<string, unknown>>;

export function generatedForm(id: string, fields: readonly GeneratedField[]): GeneratedForm {
  const warnings: string[] = [];
  const keys = new Set<string>();
  const components = fields.slice(0, maxComponents).flatMap((field, index) => {
    const warn = (detail: string) => warnings.push(`The form field "${field.id}" ${detail}`);
    const why = leftOut(field, keys);
    keys.add(field.id);
    if (why !== undefined) {
      warn(`is left out: ${why}`);
      return [];
    }
    return [componentOf(field, `field_${index + 1}`, warn)];
  });
  if (fields.length > maxComponents)
    warnings.push(`The form has more than ${maxComponents} fields. The others are left out.`);
  return { schema: { id, type: "default", schemaVersion, components }, warnings };
}

/** The reason why the form cannot have the field. */
function leftOut({ id, type }: GeneratedField, keys: ReadonlySet<string>): string | undefined {
  if (id === "") return "it has no id.";
  if (keys.has(id)) return "another field of the form has this id.";
  if (id.includes("."))
    return "form-js would write an id with a dot into an object. Use letters, digits and underscores.";
  if (!Object.hasOwn(writers, type))
    return `its type "${type}" is unknown. Use string, long, boolean, date or enum, or upload a form-js form.`;
  return undefined;
}

function componentOf(field: GeneratedField, id: string, warn: Warn): Component {
  const component = (writers[field.type] as Writer)(field, warn);
  const validate = validationOf(field, warn);
  return {
    id,
    key: field.id,
    ...component,
    ...(has(field, "readonly") ? { readonly: true } : {}),
    ...(Object.keys(validate).length > 0 ? { validate } : {}),
  };
}

type Writer = (field: GeneratedField, warn: Warn) => Component;

const writers: Readonly<Record<string, Writer>> = {
  string: (field, warn) => ({ type: "textfield", label: labelOf(field), ...defaultOf(field, warn, asText) }),
  long: longField,
  boolean: (field, warn) => ({
    type: "checkbox",
    label: labelOf(field),
    ...defaultOf(field, warn, asBoolean),
  }),
  date: dateField,
  enum: enumField,
};

/** A number beyond the exact ones of JavaScript stays a text, so that no digit is lost. */
function longField(field: GeneratedField, warn: Warn): Component {
  const shown = defaultOf(field, warn, asWhole);
  const isExact = typeof shown.defaultValue !== "string";
  const exact = isExact ? {} : { serializeToString: true };
  return { type: "number", label: labelOf(field), decimalDigits: 0, ...exact, ...shown };
}

/** A pattern with a time makes a field for both. form-js gives the variable as text: `2026-01-31`. */
function dateField(field: GeneratedField, warn: Warn): Component {
  const { datePattern = "dd/MM/yyyy" } = field;
  const format = dateFormatOf(datePattern);
  if (format === "datetime")
    return {
      type: "datetime",
      subtype: "datetime",
      dateLabel: labelOf(field),
      timeLabel: "",
      timeSerializingFormat: "utc_offset",
      timeInterval: 15,
      use24h: true,
      ...defaultOf(field, warn, () => undefined),
    };
  const shown = defaultOf(field, warn, (text) => isoDateOf(text, datePattern));
  return { type: "datetime", subtype: "date", dateLabel: labelOf(field), ...shown };
}

function enumField(field: GeneratedField, warn: Warn): Component {
  const ids = new Set(field.values.map(({ id }) => id));
  const values = [...new Map(field.values.map((value) => [value.id, value])).values()];
  if (values.length < field.values.length) warn("has a choice twice. The last one counts.");
  const chosen = (text: string) => (ids.has(text) ? text : undefined);
  return {
    type: "select",
    label: labelOf(field),
    values: values.map(({ id, name }) => ({ label: plainText(name || id), value: id })),
    ...defaultOf(field, warn, chosen),
  };
}

const labelOf = ({ label, id }: GeneratedField) => plainText(label || id);

/** form-js evaluates a text that begins with "=" or has "{{" in it. As a text of FEEL it is shown as it is. */
function plainText(text: string): string {
  if (!text.startsWith("=") && !text.includes("{{")) return text;
  return `="${text.replaceAll(/["\\]/g, "\\$&")}"`;
}

/** `read` returns undefined for a default that the field cannot have. */
function defaultOf(
  { defaultValue: text }: GeneratedField,
  warn: Warn,
  read: (text: string) => unknown,
): { readonly defaultValue?: unknown } {
  if (text === undefined || text === "") return {};
  const isExpression = /[$#]\{/.test(text);
  const value = isExpression ? undefined : read(text);
  if (value !== undefined) return { defaultValue: value };
  const why = isExpression ? "It is an expression." : "It does not fit the type.";
  warn(`starts empty, because its default value is ignored. ${why}`);
  return {};
}

const asText = (text: string) => text;
const asBoolean = (text: string) => (text === "true" ? true : text === "false" ? false : undefined);

function asWhole(text: string): number | string | undefined {
  if (!/^-?\d{1,19}$/.test(text)) return undefined;
  return Number.isSafeInteger(Number(text)) ? Number(text) : text;
}

const has = ({ constraints }: GeneratedField, name: string) =>
  constraints.some((constraint) => constraint.name === name);

/** The rule of form-js for each constraint, and the types of fields that can have it. */
const limits: Readonly<Record<string, { readonly rule: string; readonly type: string }>> = {
  minlength: { rule: "minLength", type: "string" },
  maxlength: { rule: "maxLength", type: "string" },
  min: { rule: "min", type: "long" },
  max: { rule: "max", type: "long" },
};

function validationOf(field: GeneratedField, warn: Warn): Record<string, unknown> {
  const rules: Record<string, unknown> = {};
  for (const { name, config = "" } of field.constraints) {
    const limit = Object.hasOwn(limits, name) ? limits[name] : undefined;
    // Unlike form-js, a required boolean may be false.
    if (name === "required") Object.assign(rules, field.type === "boolean" ? {} : { required: true });
    else if (limit?.type === field.type && isLimit(config, name)) rules[limit.rule] = Number(config);
    else if (name !== "readonly") warn(`has a constraint "${name}" that is ignored.`);
  }
  return rules;
}

const isLimit = (config: string, name: string) =>
  (name.endsWith("length") ? /^\d{1,9}$/ : /^-?\d{1,15}$/).test(config);
