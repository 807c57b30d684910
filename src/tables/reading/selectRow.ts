import type { Definition } from "../definition.ts";
import { columnSql, fromRegistry, Parameters, type Statement, tableSql } from "../statement.ts";
import { rowJson } from "./answerRow.ts";

/**
 * One row by its id. Answers one row `{ current, exists, fits, row, transaction }`: whether the registry still has the
 * definition, whether there is such a row, whether it is small enough for an answer, its JSON, and the transaction that
 * wrote it last.
 */
export function selectRow(definition: Definition, id: string): Statement {
  const parameters = new Parameters();
  const text = `
    with found as materialized (
      select
        ${rowJson(definition)} as json,
        t.xmin::text as transaction
      from ${tableSql(definition)} t
      where ${columnSql("id")} = ${parameters.add(id, "bigint")}
    )
    select
      exists (select ${fromRegistry(definition)}) as current,
      exists (select from found) as exists,
      not exists (select from found where json is null) as fits,
      (select json from found) as row,
      (select transaction from found) as transaction`;
  return { text, parameters: parameters.values };
}
