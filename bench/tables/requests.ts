/** The requests of the table builder, each for Waybill and for the baseline, which takes the same bodies and filters. */
import { randomBytes } from "node:crypto";
import { createAccessTokens } from "../../src/infrastructure/identity/accessTokens.ts";
import { columns, quantities, sampleRow } from "./sample.ts";

/** Where one table's rows are, and the headers that it takes to get there. */
export interface Rows {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Place {
  readonly tenant: number;
  readonly table: string;
}

export const secret = randomBytes(32).toString("hex");
const accessTokens = createAccessTokens({ keys: { kind: "secret", secret }, fetch, now: () => new Date() });
const json = { "Content-Type": "application/json" };
const tokens = new Map<number, string>();

async function waybillHeaders(tenant: number): Promise<Record<string, string>> {
  const tenants = [{ id: tenant, slug: `tenant-${tenant}`, roles: ["admin_sop"] }];
  const token =
    tokens.get(tenant) ?? (await accessTokens.sign({ sub: "bench", tenants }, { ttlSeconds: 86_400 }));
  tokens.set(tenant, token);
  return { ...json, Authorization: `Bearer ${token}` };
}

const tablesUrl = (server: string, tenant: number) => `${server}/api/v1/report/${tenant}/schema/tables`;

export async function waybillRows(server: string, { tenant, table }: Place): Promise<Rows> {
  return { url: `${tablesUrl(server, tenant)}/${table}/rows`, headers: await waybillHeaders(tenant) };
}

export const baselineRows = (server: string, { tenant, table }: Place): Rows => ({
  url: `${server}/tenant_${tenant}/${table}`,
  headers: json,
});

export async function createTable(server: string, { tenant, table }: Place): Promise<void> {
  const body = JSON.stringify({ name: table, columns });
  await send(tablesUrl(server, tenant), { method: "POST", headers: await waybillHeaders(tenant), body });
}

export const insert = ({ url, headers }: Rows, body: string) => send(url, { method: "POST", headers, body });

export const insertBody = (first: number, count: number) =>
  JSON.stringify({ rows: Array.from({ length: count }, (_, index) => sampleRow(first + index)) });

export function update({ url, headers }: Rows, id: number, turn: number) {
  const body = JSON.stringify({ where: { id: String(id) }, set: { quantity: turn % quantities } });
  return send(url, { method: "PATCH", headers, body });
}

/** The first 50 rows of those that one filter finds. */
export const list = ({ url, headers }: Rows, turn: number, { total }: { total: boolean }) =>
  send(`${url}?quantity=${turn % quantities}${total ? "" : "&$total=false"}`, { headers });

async function send(url: string, init: RequestInit): Promise<void> {
  const response = await fetch(url, init);
  const body = await response.text();
  if (!response.ok) throw new Error(`${init.method ?? "GET"} ${url}: ${response.status} ${body}`);
}
