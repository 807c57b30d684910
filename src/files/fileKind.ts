/** The two kinds of files, form attachments and stored files: their objects, and the rows that describe them. */
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

/** The columns that the tables of both kinds have. */
export interface FileRecord extends FileRef, FileMetadata {
  /** Hexadecimal, lower case. */
  readonly sha256: string;
}

export interface FileKind {
  /** Objects are `<folder>/<tenant>/<id>`. The key is made from the id, so no file name reaches the storage. */
  readonly folder: "attachments" | "files";
  /**
   * Selects all rows: `tenant_id`, `id`, `state`, whether the object must exist (`settled`), and since when the row is
   * in its state (`since`).
   */
  rows(sql: Queryable): PendingQuery<Row[]>;
  /** Deletes the row of a missing object. Returns false if the file was committed or stored, or the row has changed. */
  deleteLost(sql: Queryable, row: { readonly id: string; readonly state: string }): Promise<boolean>;
  /** Deletes rows in state `deleting`, after their objects were removed. */
  deleteRows(sql: Sql, ids: readonly string[]): Promise<unknown>;
}

export const objectKey = ({ folder }: FileKind, { tenantId, id }: FileRef) =>
  `${folder}/${tenantId}/${id.toLowerCase()}`;
