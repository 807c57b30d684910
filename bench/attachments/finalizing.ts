/** Part 4: a finalize where there are a thousand attachments, and where there are a million. */

import type { Sql } from "../../src/infrastructure/database/connect.ts";
import { type Comparison, compare } from "../measure.ts";
import { finalize, tenant } from "./requests.ts";

export interface Population {
  readonly server: string;
  readonly drafts: readonly string[];
}

/** Drafts that are finalized one by one; the rest of the population is committed. */
export const draftCount = 1_000;

/** Fills an empty instance by SQL: `count` attachments, the first thousand of them drafts. Their objects are nowhere. */
export async function populate(sql: Sql, count: number): Promise<string[]> {
  await sql`
    insert into waybill.attachments (id, tenant_id, state, file_name, mime_type, size, sha256, process_key, field_name,
                                     process_instance_id, task_id, uploader)
    select gen_random_uuid(), ${tenant.id}, case when i <= ${draftCount} then 'draft' else 'committed' end,
           'contract-' || i || '.pdf', 'application/pdf', 250000 + i, sha256(i::text::bytea), 'loan', 'document',
           case when i > ${draftCount} then 'instance-' || i / 3 end, null, 'user-' || i % 5000
    from generate_series(1, ${count}::int) i`;
  await sql`vacuum analyze waybill.attachments`;
  const rows = await sql<{ id: string }[]>`select id::text from waybill.attachments where state = 'draft'`;
  return rows.map(({ id }) => id);
}

export async function measureFinalize(few: Population, many: Population): Promise<Comparison> {
  const next = { few: 0, many: 0 };
  return compare(
    () => finalize(few.server, "bench", [few.drafts[next.few++] as string]),
    () => finalize(many.server, "bench", [many.drafts[next.many++] as string]),
    { rounds: 22, block: 40, concurrency: 1 },
  );
}
