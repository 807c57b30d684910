/** A server with processes that begin with a form, an outside system that takes the files, and visitors in Chromium. */
import axe from "axe-core";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { receiveFile } from "../../sdk/src/index.ts";
import { freshAddress, trustingLoopback } from "../support/attachments.ts";
import { apiCall, end, flow, model, start, userTask } from "../support/bpmn.ts";
import { allowLoopback, deploy, freshKey } from "../support/processes.ts";
import { startServer, type TestServer } from "../support/server.ts";

export const viewports = {
  desktop: { width: 1280, height: 900 },
  phone: { width: 360, height: 740 },
} as const;

export interface Site {
  readonly server: TestServer;
  readonly browser: Browser;
  /** Deploys a process that starts with the form and waits at a user task; answers its key and the form's address. */
  embed(form: object | undefined, options?: EmbedOptions): Promise<Embedded>;
  /** Gives a process another form. */
  deploy(key: string, form: object): Promise<void>;
  stop(): Promise<void>;
}

export interface EmbedOptions {
  readonly name?: string;
  readonly allowedOrigins?: readonly string[];
  /** An API Call that follows the start. */
  readonly call?: { readonly url: string; readonly body: string };
}

export interface Embedded {
  readonly key: string;
  readonly id: string;
  readonly url: string;
}

export async function openSite(environment: Readonly<Record<string, string>> = {}): Promise<Site> {
  const server = await startServer({
    environment: { ...trustingLoopback, ...allowLoopback, ...environment },
  });
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
  return {
    server,
    browser,
    embed: (form, options = {}) => embed(server, { ...options, form }),
    deploy: (key, form) => deployForm(server, { key, form }),
    stop: async () => {
      await browser.close();
      await server.stop();
    },
  };
}

async function embed(
  server: TestServer,
  { allowedOrigins = [], ...options }: EmbedOptions & { form: object | undefined },
): Promise<Embedded> {
  const key = freshKey("form");
  await deployForm(server, { ...options, key });
  const forms = await server.formSessions();
  const newEmbed = { process_key: key, allowed_origins: [...allowedOrigins] };
  const { embed_id: id, url } = await forms.createEmbed({ xActiveTenant: "tenant-1", newEmbed });
  return { key, id, url };
}

interface Deployment extends Pick<EmbedOptions, "name" | "call"> {
  readonly key: string;
  readonly form: object | undefined;
}

async function deployForm(server: TestServer, { key, form, name = "Loan application", call }: Deployment) {
  const steps = call
    ? [apiCall("next", { method: "POST", url: call.url, body: call.body })]
    : [userTask("next")];
  const attributes = form ? 'camunda:formRef="start_form"' : "";
  const body = [start("start", attributes), ...steps, end(), flow("start", "next", "end")].join("\n");
  const bpmn = model(key, body).replace(`Process ${key}`, name);
  await deploy(server, bpmn, { forms: form ? [{ id: "start_form", ...form }] : [] });
}

export interface Visitor {
  readonly context: BrowserContext;
  readonly page: Page;
  /** What the page must not have: violations of its policy, errors of its script, requests to other hosts. */
  readonly trouble: readonly string[];
}

export interface VisitorOptions {
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly locale?: string;
}

/** Somebody with an address and a browser profile of their own. */
export async function visitor({ browser, server }: Site, options: VisitorOptions = {}): Promise<Visitor> {
  const { viewport = viewports.desktop, locale = "en-US" } = options;
  const context = await browser.newContext({
    viewport: { ...viewport },
    locale,
    reducedMotion: "reduce",
    extraHTTPHeaders: { "X-Forwarded-For": freshAddress() },
  });
  const page = await context.newPage();
  const trouble: string[] = [];
  page.on("pageerror", (error) => trouble.push(`error: ${error.message}`));
  page.on("console", (message) => {
    // A refusal by the server is told by the browser as well.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      trouble.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol !== "data:" && url.origin !== server.url) trouble.push(`request: ${url.origin}`);
  });
  return { context, page, trouble };
}

/** What axe finds in the page that is serious or worse. */
export async function seriousFindings(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const run = "axe.run().then(({ violations }) => violations)";
  const violations = (await page.evaluate(run)) as axe.Result[];
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}

export const screenshot = (page: Page, name: string) =>
  page.screenshot({ path: `.screenshots/${name}.png`, fullPage: true });

/** Drafts and committed files of the process, oldest first. */
export async function filesOf({ server }: Site, { key }: Embedded): Promise<string[]> {
  const rows = await server.sql<{ text: string }[]>`
    select state || ' ' || field_name || ' ' || file_name as text from waybill.attachments
    where process_key = ${key} and state in ('draft', 'committed') order by uploaded_at`;
  return rows.map(({ text }) => text);
}

/** The variables of the only instance of the process. */
export async function variablesOf(
  { server }: Site,
  { key }: Embedded,
): Promise<Readonly<Record<string, unknown>>> {
  const [row, ...others] = await server.sql<{ id: string }[]>`
    select id::text from waybill.process_instances where process_key = ${key}`;
  if (!row || others.length > 0) throw new Error(`there are ${row ? others.length + 1 : 0} instances`);
  const rows = await server.sql<{ name: string; value: string }[]>`
    select name, value from waybill.process_variables where process_instance_id = ${row.id} order by name`;
  return Object.fromEntries(rows.map(({ name, value }) => [name, JSON.parse(value)]));
}

/** An outside system that downloads whatever a call names. */
export function startReceiver() {
  const files: File[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const values = Object.values((await request.json()) as Record<string, string>);
      for (const value of values.filter((text) => text.startsWith("http")))
        files.push(await receiveFile(value));
      return new Response("ok");
    },
  });
  return { url: server.url.href, files, stop: () => server.stop(true) };
}
