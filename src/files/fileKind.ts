/** A kind of files: where its objects lie, and how the rows that stand for them come and go. */
import type { PendingQuery, Row } from "postgres";
import type { Queryable, Sql } from "../infrastructure/database/connect.ts";

/** Identifies a file of a kind: its row and its object. */
export interface FileRef {
  readonly tenantId: number;
  readonly id: string;
}

/** What the server found out about a file. It never changes, so it can be read without a lock. */
export interface FileMetadata {
  readonly id: string;
  readonly fileName: string;
  readonly mimeType: string;
  /** Bytes. */
  readonly size: number;
}

/** The columns that the tables of all kinds have. */
export interface FileRecord extends FileRef, FileMetadata {
  /** Hexadecimal, lower case. */
  readonly sha256: string;
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

export const objectKey = ({ folder }: FileKind, { tenantId, id }: FileRef) =>
  `${folder}/${tenantId}/${id.toLowerCase()}`;
