/** JSON logs. Fields that may hold a credential are redacted, at the top level and one level below. */
import pino, { type DestinationStream, type Logger } from "pino";
import type { LogLevel } from "./config.ts";

const secret = ["authorization", "token", "password", "secret", "form_token", "x-probis-form-token", "url"];

/** Errors are logged as `err`: type, message, code, stack and cause. No SQL parameters or values of rows. */
export function createLog(level: LogLevel, destination: DestinationStream = pino.destination(2)): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: secret.flatMap((name) => [`["${name}"]`, `*["${name}"]`]), censor: "[redacted]" },
      serializers: { err: describeError },
    },
    destination,
  );
}

function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error === undefined ? undefined : { type: typeof error };
  const { code } = error as Error & { code?: unknown };
  return {
    type: error.name,
    message: error.message,
    code,
    stack: error.stack,
    cause: error.cause === undefined ? undefined : describeError(error.cause),
  };
}
