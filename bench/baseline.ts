/**
 * What Waybill is measured against: Bun.serve and postgres.js with the same SQL, and nothing else. No authentication,
 * no validation, no registry, no audit, no log. Every table has the columns of tables/sample.ts.
 *
 * `bun bench/baseline.ts` with DATABASE_URL and PORT; `PREPARE=no` where the tables are too many to keep a prepared
 * statement for each of them.
 */
import postgres from "postgres";

const { DATABASE_URL = "", PORT, PREPARE } = process.env;
const sql = postgres(DATABASE_URL, { max: 10, onnotice: () => {} });
const options = { prepare: PREPARE !== "no" };

const names = `"label", "quantity", "reference", "price", "active", "due", "seen_at", "details"`;
const record = `"label" text, "quantity" integer, "reference" bigint, "price" numeric, "active" boolean, "due" date, "seen_at" timestamptz, "details" jsonb`;
const utc = (column: string) =>
  `to_char("${column}" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "${column}"`;
const answered = `"id"::text as "id", ${utc("created_at")}, ${utc("updated_at")}, "label", "quantity", "reference"::text as "reference", "price"::text as "price", "active", "due", ${utc("seen_at")}, "details"`;

const insert = (table: string) =>
  `insert into ${table} (${names}) select ${names} from jsonb_to_recordset($1::text::jsonb) as r(${record})`;
const update = (table: string) =>
  `update ${table} set "quantity" = $1::text::integer, "updated_at" = now() where "id" = $2::text::bigint`;
const page = (table: string) =>
  `(select coalesce(json_agg(r), '[]')::text from (select ${answered} from ${table} where "quantity" = $1::text::integer order by ${table}."id" limit $2::text::bigint offset $3::text::bigint) r) as rows`;
const list = (table: string) => `select ${page(table)}`;
const listWithTotal = (table: string) =>
  `select ${page(table)}, (select count(*)::text from ${table} where "quantity" = $1::text::integer) as total`;

type Request = Bun.BunRequest<"/:schema/:table">;
const tableOf = ({ params: { schema, table } }: Request) => `"${schema}"."${table}"`;

async function insertRows(request: Request): Promise<Response> {
  const { rows } = (await request.json()) as { rows: unknown[] };
  const { count } = await sql.unsafe(insert(tableOf(request)), [JSON.stringify(rows)], options);
  return Response.json({ affected_rows: count });
}

async function updateRows(request: Request): Promise<Response> {
  const { where, set } = (await request.json()) as { where: { id: string }; set: { quantity: number } };
  const parameters = [String(set.quantity), where.id];
  const { count } = await sql.unsafe(update(tableOf(request)), parameters, options);
  return Response.json({ affected_rows: count });
}

async function listRows(request: Request): Promise<Response> {
  const query = new URL(request.url).searchParams;
  const total = query.get("$total") !== "false";
  const parameters = [query.get("quantity") ?? "", "50", "0"];
  const text = (total ? listWithTotal : list)(tableOf(request));
  const [row] = await sql.unsafe(text, parameters, options);
  const body = `{"rows":${row?.rows}${total ? `,"total":${row?.total}` : ""}}`;
  return new Response(body, { headers: { "Content-Type": "application/json" } });
}

Bun.serve({
  hostname: "127.0.0.1",
  port: Number(PORT),
  routes: {
    "/readyz": new Response(),
    "/:schema/:table": { POST: insertRows, PATCH: updateRows, GET: listRows },
  },
});
