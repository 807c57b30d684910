/** Compiles the contract's schemas once, and turns their errors into plain sentences. */
import type Type from "typebox";
import { Compile } from "typebox/compile";
import type { TLocalizedValidationError } from "typebox/error";
import { Settings } from "typebox/system";
import { pointerToken } from "../infrastructure/json.ts";
import { pluralize } from "../infrastructure/pluralize.ts";
import { type Fault, maxFaults } from "../infrastructure/problem.ts";
import { meaningOf } from "./patterns.ts";

// One fault can be several errors: for a union, one for each member and one for the union itself.
Settings.Set({ maxErrors: 4 * maxFaults });

/** Returns all faults of a value, and none for a valid one. Pointers begin with `root`. */
export type Validator = (value: unknown, root?: string) => Fault[];

const validators = new WeakMap<Type.TSchema, Validator>();

/** Compiles a schema once, for whichever operations and apps of the process use it. */
export function compileValidator(schema: Type.TSchema): Validator {
  const validator = validators.get(schema) ?? compile(schema);
  validators.set(schema, validator);
  return validator;
}

function compile(schema: Type.TSchema): Validator {
  const compiled = Compile(schema);
  return (value, root = "") => {
    if (compiled.Check(value)) return [];
    const faults = compiled.Errors(value).flatMap((error) => faultsOf(error, root));
    if (faults.length === 0) return [{ pointer: root, detail: "It is not valid." }];
    return withoutEchoes(faults, unknownIn(root));
  };
}

function faultsOf(error: TLocalizedValidationError, root: string): Fault[] {
  const pointer = root + error.instancePath;
  const at = (name: string, detail: string): Fault => ({
    pointer: `${pointer}/${pointerToken(name)}`,
    detail,
  });
  switch (error.keyword) {
    case "required":
      return error.params.requiredProperties.map((name) => at(name, "It is required."));
    case "additionalProperties":
      return error.params.additionalProperties.map((name) => at(name, unknownIn(root)));
    // An unknown member is reported twice: by its name, and against the schema `false`. Of many unknown members, the
    // bound on errors does not cut off the second kind.
    case "boolean":
      return [{ pointer: pointer.toWellFormed(), detail: unknownIn(root) }];
    case "anyOf":
      return [];
    default:
      return [{ pointer, detail: sentence(error) }];
  }
}

function sentence(error: TLocalizedValidationError): string {
  switch (error.keyword) {
    case "type":
      return `It must be ${[error.params.type].flat().map(described).join(" or ")}.`;
    case "enum":
      return `It must be one of ${error.params.allowedValues.map((value) => JSON.stringify(value)).join(", ")}.`;
    case "const":
      return `It must be ${JSON.stringify(error.params.allowedValue)}.`;
    case "pattern":
      return meaningOf(String(error.params.pattern));
    case "minLength":
      return `It must have at least ${pluralize(error.params.limit, "character")}.`;
    case "maxLength":
      return `It must have at most ${error.params.limit} characters.`;
    case "minItems":
      return `It must have at least ${pluralize(error.params.limit, "item")}.`;
    case "maxItems":
      return `It must have at most ${error.params.limit} items.`;
    case "minProperties":
      return "It must not be empty.";
    case "maxProperties":
      return `It must have at most ${pluralize(error.params.limit, "member")}.`;
    case "minimum":
      return `It must be at least ${error.params.limit}.`;
    case "maximum":
      return `It must be at most ${error.params.limit}.`;
    default:
      return `It ${error.message}.`;
  }
}

const unknownIn = (root: string) =>
  root === "/query" ? "This parameter does not exist." : "This member does not exist here.";

function described(type: string): string {
  if (type === "null") return type;
  return type === "boolean" ? "true or false" : `${/^[aeiou]/.test(type) ? "an" : "a"} ${type}`;
}

/** The library also reports a known member as unknown if it has a fault in or below it. Removes these reports. */
function withoutEchoes(faults: readonly Fault[], unknown: string): Fault[] {
  const places = new Set(faults.flatMap(({ pointer }) => placesAbove(pointer)));
  for (const { pointer, detail } of faults) if (detail !== unknown) places.add(pointer);
  const real = faults.filter(({ pointer, detail }) => detail !== unknown || !places.has(pointer));
  const seen = new Map(real.map((fault) => [`${fault.pointer} ${fault.detail}`, fault]));
  return [...seen.values()].slice(0, maxFaults);
}

/** The pointers of all containers of a place. */
function placesAbove(pointer: string): string[] {
  const places: string[] = [];
  for (let end = pointer.lastIndexOf("/"); end > 0; end = pointer.lastIndexOf("/", end - 1))
    places.push(pointer.slice(0, end));
  return places;
}
