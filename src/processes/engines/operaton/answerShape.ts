/**
 * What an answer of the engine has to look like. A shape has only the members that are read, so an engine may say more.
 * Everything else is refused as unusable: a proxy or another program may answer in the engine's place.
 */
import Type from "typebox";
import { Compile, type Validator } from "typebox/compile";
import { isEngineTime } from "./engineTime.ts";

export interface AnswerShape<T> {
  matches(value: unknown): value is T;
  /** The place of the first fault and what should be there. Has no value of the answer. */
  faultOf(value: unknown): string;
}

/** Numbers whose digits count, such as those of variables, must be `Type.Unknown()`. Compiled at the first use. */
export function shapeOf<Schema extends Type.TSchema>(schema: Schema): AnswerShape<Type.Static<Schema>> {
  let compiled: Validator | undefined;
  const validator = () => {
    compiled ??= Compile(schema);
    return compiled;
  };
  return {
    matches: (value): value is Type.Static<Schema> => validator().Check(value),
    faultOf: (value) => {
      const [fault] = validator().Errors(value);
      return `${fault?.instancePath || "the answer"} ${fault?.message}`.slice(0, longestFault).toWellFormed();
    },
  };
}

/** Characters. A place may have names of variables in it. */
const longestFault = 200;

export const nullable = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

export const text = Type.String();
export const textOrNull = nullable(text);

/** A moment as the engine writes it: see `parseEngineTime`. */
export const engineMoment = Type.Refine(text, isEngineTime, () => "must be a time");
export const momentOrNull = nullable(engineMoment);

const id = Type.Object({ id: text });
/** Where only the id is read. */
export const idShape = shapeOf(id);
export const idsShape = shapeOf(Type.Array(id));
