/** SQL that exports rows, by the rules of ../statement.ts. COPY takes no parameters, so settings hold the values. */
import { withoutFormulaSql } from "../../infrastructure/csv.ts";
import { quoteIdentifier } from "../../infrastructure/database/identifiers.ts";
import { columnTypes } from "../columnTypes/index.ts";
import type { Definition } from "../definition.ts";
import { answerColumns } from "../reading/answerRow.ts";
import { type Order, orderSql } from "../reading/order.ts";
import { columnSql, fromRegistry, Parameters, tableSql, typeOf } from "../statement.ts";

export type ExportFormat = "text/csv" | "application/x-ndjson";

/** Parameters that a statement reads from settings of its transaction. They stay values, and never become SQL. */
class Settings extends Parameters {
  override add(value: string | null, type = "text"): string {
    this.values.push(value);
    const setting = `current_setting('${settingName(this.values.length)}')`;
    return type === "text" ? setting : `${setting}::${type}`;
  }
}

const settingName = (number: number) => `waybill_export.p${number}`;

/** One statement that sets all settings until the end of the transaction. Undefined if there are none. */
export function setSettings(values: readonly (string | null)[]): string | undefined {
  if (values.length === 0) return undefined;
  const set = values.map((_, index) => `set_config('${settingName(index + 1)}', $${index + 1}::text, true)`);
  return `select ${set.join(", ")}`;
}

/** Which rows, and how. */
export interface ExportQuery {
  /** A condition of SQL on the table t. It adds its values to the parameters. */
  readonly matches: (parameters: Parameters) => string;
  /** The columns, in their order. */
  readonly columns: readonly string[];
  readonly order: Order;
  readonly format: ExportFormat;
  /** Whether cells of CSV that a spreadsheet would run are escaped. */
  readonly safe: boolean;
}

export interface ExportStatement {
  /** Stops a change of the table, but no reader and no writer. */
  readonly lock: string;
  /** One row while the registry has the definition. */
  readonly current: string;
  readonly copy: string;
  readonly settings: readonly (string | null)[];
  /** The columns of CSV, in their order. */
  readonly columns: readonly string[];
}

export function exportStatement(definition: Definition, query: ExportQuery): ExportStatement {
  const settings = new Settings();
  const { columns } = query;
  const ordered = orderSql(query.order, (name) => definition.nullable.has(name));
  const from = `from ${tableSql(definition)} t where ${query.matches(settings)} order by ${ordered}`;
  const [selected, form] =
    query.format === "text/csv"
      ? [columns.map((name) => csvColumn(definition, name, query)).join(", "), "format csv"]
      : [jsonOf(definition, columns), verbatim];
  return {
    lock: `lock table ${tableSql(definition)} in access share mode`,
    current: `select 1 as current ${fromRegistry(definition)}`,
    copy: `copy (select ${selected} ${from}) to stdout with (${form})`,
    settings: settings.values,
    columns,
  };
}

/** No JSON contains these control characters unescaped, so nothing is quoted. */
const verbatim = `format csv, delimiter E'\\x01', quote E'\\x02'`;

const jsonOf = (definition: Definition, columns: readonly string[]) =>
  `(select row_to_json(r.*)::text from (select ${answerColumns(definition, columns)}) r)`;

function csvColumn(definition: Definition, name: string, { safe }: ExportQuery): string {
  const column = columnSql(name);
  const type = typeOf(definition, name);
  const shown = type === columnTypes.boolean ? `${column}::text` : column;
  return `${safe && type === columnTypes.text ? withoutFormulaSql(column) : shown} as ${quoteIdentifier(name)}`;
}

/** Which columns of CSV hold moments. */
export const momentsOf = (definition: Definition, columns: readonly string[]): boolean[] =>
  columns.map((name) => typeOf(definition, name) === columnTypes.timestamp);
