/** A kind of files: where its objects lie, and how the rows that stand for them come and go. */
import type { PendingQuery, Row } from "postgres";
import type { Queryable, Sql } from "../infrastructure/database/connect.ts";

/** An object or a row of one kind. */
export interface Place {
  readonly tenantId: number;
  readonly id: string;
}

export interface FileKind {
  /** Objects are `<folder>/<tenant>/<id>`. Made of the id, so no file name ever reaches the storage. */
  readonly folder: "attachments" | "files";
  /** A select of all rows: tenant_id, id, state; settled: whether the object has to be there; since when (`since`). */
  rows(sql: Queryable): PendingQuery<Row[]>;
  /** Forgets a row whose object is lost, if it is nothing that was promised to stay; false where it is, or has changed. */
  deleteLost(sql: Queryable, row: { readonly id: string; readonly state: string }): Promise<boolean>;
  /** Forgets rows that are `deleting`, whose objects are gone. */
  deleteRows(sql: Sql, ids: readonly string[]): Promise<unknown>;
}

export const keyOf = ({ folder }: FileKind, { tenantId, id }: Place) =>
  `${folder}/${tenantId}/${id.toLowerCase()}`;
