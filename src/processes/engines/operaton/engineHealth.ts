/**
 * Whether the engine answers and can do what Waybill needs. A wrong engine is a mistake in the configuration and stops
 * the start. One that is only away does not: it is checked as soon as it answers.
 */
import { ConfigError } from "../../../infrastructure/config.ts";
import type { EngineWarning } from "../../engine.ts";
import type { OperatonContext } from "./operatonContext.ts";
import { isAway, isUnreadable } from "./restErrors.ts";
import { checkEngine, versionShape } from "./startChecks.ts";

export interface EngineHealth {
  /** Throws `ConfigError`. */
  start(): Promise<void>;
  /** Checks an engine that was away until now. */
  look(): Promise<void>;
  warnings(): Promise<readonly EngineWarning[]>;
}

/** How long readiness waits for the engine, and how long its answer is good for. */
const answerMs = 2_000;
const freshMs = 1_000;
/** How soon an engine that lacks something is tried out again. */
const repairMs = 60_000;

export function createEngineHealth(context: OperatonContext): EngineHealth {
  let state: "unchecked" | "checked" = "unchecked";
  let fault: string | undefined;
  let nextLookAt = 0;
  let asked: { readonly at: number; readonly answer: Promise<boolean> } | undefined;

  async function check(): Promise<void> {
    await checkEngine(context);
    state = "checked";
    fault = undefined;
  }

  const answers = (): Promise<boolean> => {
    if (asked && performance.now() - asked.at < freshMs) return asked.answer;
    const answer = context.rest.call({ path: "/version", timeoutMs: answerMs }, versionShape).then(
      () => true,
      (error) => !isAway(error) && !isUnreadable(error),
    );
    asked = { at: performance.now(), answer };
    return answer;
  };

  return {
    start: () =>
      check().catch((err) => {
        if (!isAway(err)) throw err;
        context.log.warn({ err }, "The process engine is away. Waybill starts, and checks the engine later");
      }),
    look: async () => {
      if (state === "checked" || performance.now() < nextLookAt) return;
      try {
        await check();
        context.log.info("The process engine answers");
      } catch (err) {
        if (isAway(err)) return;
        nextLookAt = performance.now() + repairMs;
        if (err instanceof ConfigError && err.message !== fault) context.log.error({ err }, err.message);
        fault = err instanceof Error ? err.message : String(err);
      }
    },
    warnings: async () => {
      if (!(await answers())) return [away];
      return fault === undefined ? [] : [{ code: "engine_unusable", message: fault }];
    },
  };
}

const away = {
  code: "engine_away",
  message:
    "The process engine gives no usable answer. Operations that need it return 503. Look at the engine.",
};
