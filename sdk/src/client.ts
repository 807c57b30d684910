/** Sets up the generated classes: address, credentials, tenant, fetch, and one class of errors. */
import {
  AttachmentsApi,
  AuditApi,
  Configuration,
  DiscussionsApi,
  EngineApi,
  type FetchAPI,
  FormSessionsApi,
  IncidentsApi,
  IntegrationApi,
  ProcessesApi,
  PublicAttachmentsApi,
  ReportsApi,
  ServiceApi,
  TablesApi,
  TasklistApi,
  TokensApi,
} from "./generated/index.ts";
import { ProblemError } from "./problemError.ts";
import { overNetwork } from "./unreachable.ts";

type Secret = string | (() => string | Promise<string>);

export interface ClientOptions {
  /** The gateway's root, `https://bank.example`. */
  readonly baseUrl: string;
  /** An access token, or a function that returns a fresh one for each request. */
  readonly token?: Secret | undefined;
  /** A form session token, for the visitor of an embedded form. */
  readonly formToken?: Secret | undefined;
  /** The default for requests that need a tenant: `id` for tables and reports, `slug` for the others. */
  readonly tenant?: { readonly id?: number | undefined; readonly slug?: string | undefined } | undefined;
  readonly fetch?: FetchAPI | undefined;
}

export interface Client {
  readonly tables: WithTenant<TablesApi>;
  readonly audit: WithTenant<AuditApi>;
  readonly attachments: WithTenant<AttachmentsApi>;
  readonly processes: WithTenant<ProcessesApi>;
  readonly incidents: WithTenant<IncidentsApi>;
  readonly tasklist: WithTenant<TasklistApi>;
  readonly reports: WithTenant<ReportsApi>;
  readonly discussions: WithTenant<DiscussionsApi>;
  readonly integration: WithTenant<IntegrationApi>;
  readonly tokens: WithTenant<TokensApi>;
  readonly formSessions: WithTenant<FormSessionsApi>;
  readonly publicAttachments: PublicAttachmentsApi;
  readonly engine: EngineApi;
  readonly service: ServiceApi;
}

/**
 * A client with every operation of the contract. It throws a `ProblemError` if the server refuses a request. What
 * `fetch` throws (no connection, an abort) is thrown unchanged.
 */
export function createClient(options: ClientOptions): Client {
  const configuration = configure(options);
  const tenant = { xActiveTenant: options.tenant?.slug, tenantId: options.tenant?.id };
  return {
    tables: withTenant(new TablesApi(configuration), tenant),
    audit: withTenant(new AuditApi(configuration), tenant),
    attachments: withTenant(new AttachmentsApi(configuration), tenant),
    processes: withTenant(new ProcessesApi(configuration), tenant),
    incidents: withTenant(new IncidentsApi(configuration), tenant),
    tasklist: withTenant(new TasklistApi(configuration), tenant),
    reports: withTenant(new ReportsApi(configuration), tenant),
    discussions: withTenant(new DiscussionsApi(configuration), tenant),
    integration: withTenant(new IntegrationApi(configuration), tenant),
    tokens: withTenant(new TokensApi(configuration), tenant),
    formSessions: withTenant(new FormSessionsApi(configuration), tenant),
    publicAttachments: new PublicAttachmentsApi(configuration),
    engine: new EngineApi(configuration),
    service: new ServiceApi(configuration),
  };
}

function configure({ baseUrl, token, formToken, fetch: send = fetch }: ClientOptions): Configuration {
  const fetchApi = async (...request: Parameters<FetchAPI>) => {
    const response = await overNetwork(send(...request), request[1]?.signal);
    if (!response.ok) throw await ProblemError.from(response);
    return response;
  };
  // The generated code wraps what `fetchApi` throws, unless a middleware throws first.
  const onError = async ({ error }: { error: unknown }) => {
    throw error;
  };
  return new Configuration({
    basePath: baseUrl.replace(/\/+$/, ""),
    fetchApi: fetchApi as FetchAPI,
    middleware: [{ onError }],
    ...(token === undefined ? {} : { accessToken: token }),
    ...(formToken === undefined ? {} : { apiKey: formToken }),
  });
}

type TenantKey = "xActiveTenant" | "tenantId";
type Loose<Request> = Omit<Request, TenantKey> & Partial<Pick<Request, Extract<keyof Request, TenantKey>>>;

/** An API class whose requests can omit the tenant. */
export type WithTenant<Api> = {
  [Name in Exclude<keyof Api, `with${string}`>]: Api[Name] extends (
    request: infer Request extends object,
    ...rest: infer Rest
  ) => infer Answer
    ? object extends Loose<Request>
      ? (request?: Loose<Request>, ...rest: Rest) => Answer
      : (request: Loose<Request>, ...rest: Rest) => Answer
    : never;
};

function withTenant<Api extends object>(api: Api, tenant: Record<TenantKey, unknown>): WithTenant<Api> {
  const get = (target: Api, name: string | symbol) => {
    const member = Reflect.get(target, name);
    if (typeof member !== "function") return member;
    return (request: object = {}, ...rest: unknown[]) =>
      member.call(target, { ...tenant, ...request }, ...rest);
  };
  return new Proxy(api, { get }) as unknown as WithTenant<Api>;
}
