/** Statements on `waybill.embeds`. */
import type { Sql } from "../database/connect.ts";

/** The origins that may show the embed's page in a frame; undefined where there is no such embed. */
export async function findAllowedOrigins(sql: Sql, embed: string): Promise<readonly string[] | undefined> {
  const [row] = await sql<{ origins: string[] }[]>`
    select allowed_origins as origins from waybill.embeds where id = ${embed}`;
  return row?.origins;
}
