/** The whole service on one screen: all operations, bound to the contract, with one error handler. */
import { Elysia } from "elysia";
import type { Deps } from "./deps.ts";
import { answerFailure } from "./http/answerFailure.ts";
import { type BindOptions, bind, type Handlers } from "./http/bind.ts";
import { logRequest } from "./http/logRequest.ts";
import { swaggerUi } from "./http/swaggerUi.ts";
import { attachments } from "./operations/attachments/index.ts";
import { audit } from "./operations/audit/index.ts";
import { discussions } from "./operations/discussions/index.ts";
import { engine } from "./operations/engine/index.ts";
import { formSessions } from "./operations/formSessions/index.ts";
import { incidents } from "./operations/incidents/index.ts";
import { integration } from "./operations/integration/index.ts";
import { processes } from "./operations/processes/index.ts";
import { publicAttachments } from "./operations/publicAttachments/index.ts";
import { reports } from "./operations/reports/index.ts";
import { service } from "./operations/service/index.ts";
import { startForm } from "./operations/startForm/index.ts";
import { tables } from "./operations/tables/index.ts";
import { tasklist } from "./operations/tasklist/index.ts";
import { tokens } from "./operations/tokens/index.ts";

const handlers: Handlers = {
  ...tables,
  ...audit,
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
  // With `standardHostname` on, every path is 404 for a host with a short name, such as `http://api/healthz`.
  return new Elysia({ strictPath: true, handler: { standardHostname: false } })
    .onError({ as: "global" }, answerFailure(deps, options))
    .onAfterResponse({ as: "global" }, logRequest(deps))
    .use(swaggerUi(deps.config))
    .use(bind(handlers, deps, options));
}
