/**
 * Checks the contract's limits on the number of members and items, before any check that costs more.
 *
 * The validator takes some microseconds for each member, even if there are a million too many, and repeats the names of
 * members in each fault. Here the first object or array with too many members, or with a name that is too long, refuses
 * the body.
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

/** Throws `invalid_body` if the value somewhere has more members or items than `schema` allows, or a long name. */
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

/** Four times the longest name in use. A fault repeats the names on the path to its place. */
const maxNameLength = 1_000;

const nameTooLong = (pointer: string): Fault => ({
  pointer,
  detail: `A member's name here must have at most ${maxNameLength} characters.`,
});

/** If unknown members are refused, the limit leaves room for as many as are reported one by one. */
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
