// Generated from openapi/ by `bun run generate`. Do not edit.
import Type from "typebox";

export const AffectedRowsAnswer = Type.Object({ "success": Type.Literal(true), "message": Type.String(), "data": Type.Object({ "affected_rows": Type.Integer({ minimum: 0 }) }, { additionalProperties: false }) }, { additionalProperties: false });
export type AffectedRowsAnswer = Type.Static<typeof AffectedRowsAnswer>;

export const Identifier = Type.String({ pattern: "^[a-z][a-z0-9_]*$", maxLength: 63 });
export type Identifier = Type.Static<typeof Identifier>;

export const ColumnType = Type.Enum(["text","integer","bigint","numeric","boolean","date","timestamp","jsonb"]);
export type ColumnType = Type.Static<typeof ColumnType>;

export const Column = Type.Object({ "name": Identifier, "type": ColumnType, "nullable": Type.Boolean() }, { additionalProperties: false });
export type Column = Type.Static<typeof Column>;

export const ColumnDefinition = Type.Object({ "name": Identifier, "type": ColumnType, "nullable": Type.Optional(Type.Boolean()) }, { additionalProperties: false });
export type ColumnDefinition = Type.Static<typeof ColumnDefinition>;

export const Condition = Type.Unsafe<Record<string, unknown>>({"type":"object","minProperties":1});
export type Condition = Type.Static<typeof Condition>;

export const Contract = Type.Object({ "openapi": Type.String(), "info": Type.Unsafe<Record<string, unknown>>({"type":"object"}), "paths": Type.Unsafe<Record<string, unknown>>({"type":"object"}) }, { additionalProperties: Type.Unknown() });
export type Contract = Type.Static<typeof Contract>;

export const Fault = Type.Object({ "pointer": Type.String(), "detail": Type.String() }, { additionalProperties: false });
export type Fault = Type.Static<typeof Fault>;

export const Health = Type.Object({ "status": Type.Enum(["ok"]) }, { additionalProperties: false });
export type Health = Type.Static<typeof Health>;

export const Values = Type.Unsafe<Record<string, unknown>>({"type":"object"});
export type Values = Type.Static<typeof Values>;

export const NewRows = Type.Object({ "rows": Type.Array(Values, { minItems: 1, maxItems: 10000 }) }, { additionalProperties: false });
export type NewRows = Type.Static<typeof NewRows>;

export const NewTable = Type.Object({ "name": Identifier, "description": Type.Optional(Type.String({ maxLength: 10000 })), "columns": Type.Array(ColumnDefinition, { minItems: 1, maxItems: 1500 }) }, { additionalProperties: false });
export type NewTable = Type.Static<typeof NewTable>;

export const Problem = Type.Object({ "success": Type.Literal(false), "message": Type.String(), "type": Type.String(), "title": Type.String(), "status": Type.Integer({ minimum: 400, maximum: 599 }), "code": Type.String(), "request_id": Type.String(), "errors": Type.Optional(Type.Array(Fault, { maxItems: 100 })) }, { additionalProperties: Type.Unknown() });
export type Problem = Type.Static<typeof Problem>;

export const Row = Type.Object({ "id": Type.String({ pattern: "^-?[0-9]+$" }), "created_at": Type.String({ format: "date-time" }), "updated_at": Type.String({ format: "date-time" }) }, { additionalProperties: Type.Unknown() });
export type Row = Type.Static<typeof Row>;

export const RowDeletion = Type.Object({ "where": Condition }, { additionalProperties: false });
export type RowDeletion = Type.Static<typeof RowDeletion>;

export const RowListAnswer = Type.Object({ "success": Type.Literal(true), "message": Type.String(), "data": Type.Object({ "rows": Type.Array(Row, { maxItems: 500 }), "page": Type.Integer(), "limit": Type.Integer(), "total": Type.Optional(Type.Integer()) }, { additionalProperties: false }) }, { additionalProperties: false });
export type RowListAnswer = Type.Static<typeof RowListAnswer>;

export const RowUpdate = Type.Object({ "where": Condition, "set": Type.Unsafe<Record<string, unknown>>({"type":"object","minProperties":1}) }, { additionalProperties: false });
export type RowUpdate = Type.Static<typeof RowUpdate>;

export const TableRecord = Type.Object({ "id": Type.Integer(), "table_name": Identifier, "columns": Type.Array(Column), "description": Type.String(), "created_at": Type.String({ format: "date-time" }), "updated_at": Type.String({ format: "date-time" }) }, { additionalProperties: false });
export type TableRecord = Type.Static<typeof TableRecord>;

export const TableAnswer = Type.Object({ "success": Type.Literal(true), "message": Type.String(), "data": TableRecord }, { additionalProperties: false });
export type TableAnswer = Type.Static<typeof TableAnswer>;

export const TableListAnswer = Type.Object({ "success": Type.Literal(true), "message": Type.String(), "data": Type.Object({ "tables": Type.Array(TableRecord) }, { additionalProperties: false }) }, { additionalProperties: false });
export type TableListAnswer = Type.Static<typeof TableListAnswer>;

export const ListTablesParams = Type.Object({ "tenantId": Type.Integer({ minimum: 1, maximum: 9007199254740991 }) }, { additionalProperties: false });
export type ListTablesParams = Type.Static<typeof ListTablesParams>;

export const ListTablesQuery = Type.Object({  }, { additionalProperties: false });
export type ListTablesQuery = Type.Static<typeof ListTablesQuery>;

export const CreateTableParams = Type.Object({ "tenantId": Type.Integer({ minimum: 1, maximum: 9007199254740991 }) }, { additionalProperties: false });
export type CreateTableParams = Type.Static<typeof CreateTableParams>;

export const CreateTableQuery = Type.Object({  }, { additionalProperties: false });
export type CreateTableQuery = Type.Static<typeof CreateTableQuery>;

export const GetTableParams = Type.Object({ "tenantId": Type.Integer({ minimum: 1, maximum: 9007199254740991 }), "table": Type.String() }, { additionalProperties: false });
export type GetTableParams = Type.Static<typeof GetTableParams>;

export const GetTableQuery = Type.Object({  }, { additionalProperties: false });
export type GetTableQuery = Type.Static<typeof GetTableQuery>;

export const DropTableParams = Type.Object({ "tenantId": Type.Integer({ minimum: 1, maximum: 9007199254740991 }), "table": Type.String() }, { additionalProperties: false });
export type DropTableParams = Type.Static<typeof DropTableParams>;

export const DropTableQuery = Type.Object({ "confirm": Type.Optional(Type.Boolean()) }, { additionalProperties: false });
export type DropTableQuery = Type.Static<typeof DropTableQuery>;

export const ListRowsParams = Type.Object({ "tenantId": Type.Integer({ minimum: 1, maximum: 9007199254740991 }), "table": Type.String() }, { additionalProperties: false });
export type ListRowsParams = Type.Static<typeof ListRowsParams>;

export const ListRowsQuery = Type.Object({ "page": Type.Optional(Type.Integer({ minimum: 0, maximum: 2147483647 })), "limit": Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })), "$total": Type.Optional(Type.Boolean()) }, { additionalProperties: Type.String() });
export type ListRowsQuery = Type.Static<typeof ListRowsQuery>;

export const InsertRowsParams = Type.Object({ "tenantId": Type.Integer({ minimum: 1, maximum: 9007199254740991 }), "table": Type.String() }, { additionalProperties: false });
export type InsertRowsParams = Type.Static<typeof InsertRowsParams>;

export const InsertRowsQuery = Type.Object({  }, { additionalProperties: false });
export type InsertRowsQuery = Type.Static<typeof InsertRowsQuery>;

export const UpdateRowsParams = Type.Object({ "tenantId": Type.Integer({ minimum: 1, maximum: 9007199254740991 }), "table": Type.String() }, { additionalProperties: false });
export type UpdateRowsParams = Type.Static<typeof UpdateRowsParams>;

export const UpdateRowsQuery = Type.Object({  }, { additionalProperties: false });
export type UpdateRowsQuery = Type.Static<typeof UpdateRowsQuery>;

export const DeleteRowsParams = Type.Object({ "tenantId": Type.Integer({ minimum: 1, maximum: 9007199254740991 }), "table": Type.String() }, { additionalProperties: false });
export type DeleteRowsParams = Type.Static<typeof DeleteRowsParams>;

export const DeleteRowsQuery = Type.Object({  }, { additionalProperties: false });
export type DeleteRowsQuery = Type.Static<typeof DeleteRowsQuery>;

export const GetHealthParams = Type.Object({  }, { additionalProperties: false });
export type GetHealthParams = Type.Static<typeof GetHealthParams>;

export const GetHealthQuery = Type.Object({  }, { additionalProperties: false });
export type GetHealthQuery = Type.Static<typeof GetHealthQuery>;

export const GetReadinessParams = Type.Object({  }, { additionalProperties: false });
export type GetReadinessParams = Type.Static<typeof GetReadinessParams>;

export const GetReadinessQuery = Type.Object({  }, { additionalProperties: false });
export type GetReadinessQuery = Type.Static<typeof GetReadinessQuery>;

export const GetContractJsonParams = Type.Object({  }, { additionalProperties: false });
export type GetContractJsonParams = Type.Static<typeof GetContractJsonParams>;

export const GetContractJsonQuery = Type.Object({  }, { additionalProperties: false });
export type GetContractJsonQuery = Type.Static<typeof GetContractJsonQuery>;

export const GetContractYamlParams = Type.Object({  }, { additionalProperties: false });
export type GetContractYamlParams = Type.Static<typeof GetContractYamlParams>;

export const GetContractYamlQuery = Type.Object({  }, { additionalProperties: false });
export type GetContractYamlQuery = Type.Static<typeof GetContractYamlQuery>;
