/** The whole service on one screen: every room, bound to the contract, with one way to fail. */
import { Elysia } from "elysia";
import { attachments } from "./attachments/room.ts";
import type { Deps } from "./deps.ts";
import { discussions } from "./discussions/room.ts";
import { engine } from "./engine/room.ts";
import { formSessions } from "./formSessions/room.ts";
import { answerFailure } from "./http/answerFailure.ts";
import { type BindOptions, bind, type Handlers } from "./http/bind.ts";
import { logExchange } from "./http/logExchange.ts";
import { swaggerUi } from "./http/swaggerUi.ts";
import { incidents } from "./incidents/room.ts";
import { integration } from "./integration/room.ts";
import { processes } from "./processes/room.ts";
import { publicAttachments } from "./publicAttachments/room.ts";
import { reports } from "./reports/room.ts";
import { service } from "./service/room.ts";
import { startForm } from "./startForm/room.ts";
import { tables } from "./tables/room.ts";
import { tasklist } from "./tasklist/room.ts";
import { tokens } from "./tokens/room.ts";

const handlers: Handlers = {
  ...tables,
  ...attachments,
  ...publicAttachments,
  ...formSessions,
  ...engine,
  ...processes,
  ...incidents,
  ...tasklist,
  ...reports,
  ...discussions,
  ...integration,
  ...tokens,
  ...startForm,
  ...service,
};

export function createApp(deps: Deps, options: BindOptions = { checkAnswers: false }) {
  // Without `standardHostname: false` every path is a 404 where the host's name is short, as in `http://api/healthz`.
  return new Elysia({ strictPath: true, handler: { standardHostname: false } })
    .onError({ as: "global" }, answerFailure(deps, options))
    .onAfterResponse({ as: "global" }, logExchange(deps))
    .use(swaggerUi(deps.config))
    .use(bind(handlers, deps, options));
}
