/** The whole service on one screen: every room, bound to the contract, with one way to fail. */
import { Elysia } from "elysia";
import type { Deps } from "./deps.ts";
import { answerFailure } from "./http/answerFailure.ts";
import { type BindOptions, bind, type Handlers } from "./http/bind.ts";
import { logExchange } from "./http/logExchange.ts";
import { swaggerUi } from "./http/swaggerUi.ts";
import { service } from "./service/room.ts";
import { tables } from "./tables/room.ts";

const handlers: Handlers = { ...tables, ...service };

export function createApp(deps: Deps, options: BindOptions = { checkAnswers: false }) {
  return new Elysia({ strictPath: true })
    .onError({ as: "global" }, answerFailure(deps, options))
    .onAfterResponse({ as: "global" }, logExchange(deps))
    .use(swaggerUi())
    .use(bind(handlers, deps, options));
}
