/**
 * The contract's bounds on how many members and items a body has, checked before anything that costs more.
 *
 * The validator looks at every member of a value even where the value has a million too many, at some microseconds
 * each, and repeats the names of members in each fault. Here the first container with too many members, or too long
 * a name, refuses the body.
 */
import type Type from "typebox";
import { pointerToken } from "../infrastructure/json.ts";
import { pluralize } from "../infrastructure/pluralize.ts";
import { type Fault, maxFaults, Problem } from "../infrastructure/problem.ts";

interface Shape {
  readonly items?: Shape;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly maxProperties?: number;
  readonly additionalProperties?: Shape | boolean;
}

/** Throws `invalid_body` for a value that has more members or items somewhere than `schema` allows there, or a long name. */
export function requireWithinBounds(value: unknown, schema: Type.TSchema): void {
  const fault = excess(value, schema as Shape, "");
  if (fault) throw new Problem("invalid_body", { errors: [fault] });
}

function excess(value: unknown, shape: Shape, pointer: string): Fault | undefined {
  if (typeof value !== "object" || value === null || JSON.isRawJSON(value)) return undefined;
  return Array.isArray(value)
    ? excessOfArray(value, shape, pointer)
    : excessOfObject(value as Record<string, unknown>, shape, pointer);
}

function excessOfArray(
  items: readonly unknown[],
  { items: shape, maxItems = Number.POSITIVE_INFINITY }: Shape,
  pointer: string,
): Fault | undefined {
  if (items.length > maxItems)
    return { pointer, detail: `It must have at most ${pluralize(maxItems, "item")}.` };
  if (!shape || !isBounded(shape)) return undefined;
  for (const [at, item] of items.entries()) {
    const fault = excess(item, shape, `${pointer}/${at}`);
    if (fault) return fault;
  }
  return undefined;
}

function excessOfObject(
  members: Readonly<Record<string, unknown>>,
  shape: Shape,
  pointer: string,
): Fault | undefined {
  const most = mostMembers(shape);
  const names = Object.keys(members);
  if (names.length > most) return { pointer, detail: `It must have at most ${pluralize(most, "member")}.` };
  const { properties = {}, additionalProperties: others } = shape;
  for (const name of names) {
    if (name.length > maxNameLength) return nameTooLong(pointer);
    const inner = Object.hasOwn(properties, name) ? properties[name] : others;
    if (typeof inner !== "object" || !isBounded(inner)) continue;
    const fault = excess(members[name], inner, `${pointer}/${pointerToken(name)}`);
    if (fault) return fault;
  }
  return undefined;
}

/** Four times the longest name that anything has. A fault repeats the names on the way to its place. */
const maxNameLength = 1_000;

const nameTooLong = (pointer: string): Fault => ({
  pointer,
  detail: `A member's name here must have at most ${maxNameLength} characters.`,
});

/** Where unknown members are refused, as many of them may come as are reported one by one. */
function mostMembers({ properties = {}, additionalProperties, maxProperties }: Shape): number {
  if (maxProperties !== undefined) return maxProperties;
  return additionalProperties === false
    ? Object.keys(properties).length + maxFaults
    : Number.POSITIVE_INFINITY;
}

const isBounded = (shape: Shape) =>
  shape.items !== undefined ||
  shape.maxItems !== undefined ||
  shape.properties !== undefined ||
  shape.maxProperties !== undefined ||
  shape.additionalProperties !== undefined;
