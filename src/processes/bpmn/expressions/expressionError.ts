/** Says what is wrong with an expression, or with the variables for it. Never contains a value. */
export class ExpressionError extends Error {
  override readonly name = "ExpressionError";
}
