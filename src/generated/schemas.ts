// Generated from openapi/ by `bun run generate`. Do not edit.
import Type from "typebox";
import type { OutgoingFile, ReceivedFile } from "../file.ts";

export const AffectedRowsAnswer = Type.Object({ "success": Type.Literal(true), "message": Type.String(), "data": Type.Object({ "affected_rows": Type.Integer({ minimum: 0 }) }, { additionalProperties: false }) }, { additionalProperties: false });
export type AffectedRowsAnswer = Type.Static<typeof AffectedRowsAnswer>;

export const AllowedTypes = Type.Object({ "extensions": Type.Array(Type.String()), "max_size_mb": Type.Number() }, { additionalProperties: false });
export type AllowedTypes = Type.Static<typeof AllowedTypes>;

export const AttachmentIds = Type.Array(Type.String({ format: "uuid" }), { minItems: 1, maxItems: 1000 });
export type AttachmentIds = Type.Static<typeof AttachmentIds>;

export const AttachmentMetadata = Type.Object({ "attachment_id": Type.String({ format: "uuid" }), "file_name": Type.String(), "mime_type": Type.String(), "size": Type.Integer({ minimum: 0 }), "type": Type.Literal("file_attachment"), "uploaded_at": Type.String({ format: "date-time" }) }, { additionalProperties: false });
export type AttachmentMetadata = Type.Static<typeof AttachmentMetadata>;

export const Binding = Type.Object({ "tenant_id": Type.Integer({ minimum: 1, maximum: 9007199254740991 }), "process_instance_id": Type.String({ minLength: 1, maxLength: 255, pattern: "^[^\\x00]*$" }), "task_id": Type.Optional(Type.String({ maxLength: 255, pattern: "^[^\\x00]*$" })), "attachment_ids": AttachmentIds }, { additionalProperties: false });
export type Binding = Type.Static<typeof Binding>;

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

export const DownloadUrl = Type.Object({ "attachment_id": Type.String({ format: "uuid" }), "url": Type.String({ format: "uri" }), "expires_at": Type.String({ format: "date-time" }) }, { additionalProperties: false });
export type DownloadUrl = Type.Static<typeof DownloadUrl>;

export const DownloadUrlRequest = Type.Object({ "tenant_id": Type.Integer({ minimum: 1, maximum: 9007199254740991 }), "process_instance_id": Type.String({ minLength: 1, maxLength: 255, pattern: "^[^\\x00]*$" }), "attachment_ids": Type.Array(Type.String({ format: "uuid" }), { minItems: 1, maxItems: 1000 }) }, { additionalProperties: false });
export type DownloadUrlRequest = Type.Static<typeof DownloadUrlRequest>;

export const DownloadUrls = Type.Object({ "urls": Type.Array(DownloadUrl) }, { additionalProperties: false });
export type DownloadUrls = Type.Static<typeof DownloadUrls>;

export const Embed = Type.Object({ "embed_id": Type.String(), "url": Type.String() }, { additionalProperties: false });
export type Embed = Type.Static<typeof Embed>;

export const Fault = Type.Object({ "pointer": Type.String(), "detail": Type.String() }, { additionalProperties: false });
export type Fault = Type.Static<typeof Fault>;

export const FileContent = Type.Unsafe<OutgoingFile>({});
export type FileContent = Type.Static<typeof FileContent>;

export const Finalization = Type.Object({ "attachment_ids": AttachmentIds, "process_instance_id": Type.Optional(Type.String({ maxLength: 255, pattern: "^[^\\x00]*$" })), "task_id": Type.Optional(Type.String({ maxLength: 255, pattern: "^[^\\x00]*$" })) }, { additionalProperties: false });
export type Finalization = Type.Static<typeof Finalization>;

export const Finalized = Type.Object({ "committed": Type.Array(Type.String({ format: "uuid" })), "process_instance_id": Type.Union([Type.String(), Type.Null()]), "task_id": Type.Union([Type.String(), Type.Null()]) }, { additionalProperties: false });
export type Finalized = Type.Static<typeof Finalized>;

export const FormSession = Type.Object({ "form_token": Type.String(), "expires_at": Type.String({ format: "date-time" }) }, { additionalProperties: false });
export type FormSession = Type.Static<typeof FormSession>;

export const Health = Type.Object({ "status": Type.Enum(["ok"]) }, { additionalProperties: false });
export type Health = Type.Static<typeof Health>;

export const NewEmbed = Type.Object({ "process_key": Type.String({ minLength: 1, maxLength: 255, pattern: "^[^\\x00]*$" }) }, { additionalProperties: false });
export type NewEmbed = Type.Static<typeof NewEmbed>;

export const NewFormSession = Type.Object({ "embed_id": Type.String({ minLength: 1, maxLength: 255, pattern: "^[^\\x00]*$" }) }, { additionalProperties: false });
export type NewFormSession = Type.Static<typeof NewFormSession>;

export const NewParticipant = Type.Object({ "user": Type.String({ minLength: 1, maxLength: 255, pattern: "^[^\\x00]*$" }) }, { additionalProperties: false });
export type NewParticipant = Type.Static<typeof NewParticipant>;

export const Values = Type.Unsafe<Record<string, unknown>>({"type":"object"});
export type Values = Type.Static<typeof Values>;

export const NewRows = Type.Object({ "rows": Type.Array(Values, { minItems: 1, maxItems: 10000 }) }, { additionalProperties: false });
export type NewRows = Type.Static<typeof NewRows>;

export const NewTable = Type.Object({ "name": Identifier, "description": Type.Optional(Type.String({ maxLength: 10000 })), "columns": Type.Array(ColumnDefinition, { minItems: 1, maxItems: 1500 }) }, { additionalProperties: false });
export type NewTable = Type.Static<typeof NewTable>;

export const Participant = Type.Object({ "user": Type.String(), "added_by": Type.String(), "added_at": Type.String({ format: "date-time" }) }, { additionalProperties: false });
export type Participant = Type.Static<typeof Participant>;

export const Participants = Type.Object({ "participants": Type.Array(Participant) }, { additionalProperties: false });
export type Participants = Type.Static<typeof Participants>;

export const Problem = Type.Object({ "success": Type.Literal(false), "message": Type.String(), "type": Type.String(), "title": Type.String(), "status": Type.Integer({ minimum: 400, maximum: 599 }), "code": Type.String(), "request_id": Type.String(), "errors": Type.Optional(Type.Array(Fault, { maxItems: 100 })) }, { additionalProperties: Type.Unknown() });
export type Problem = Type.Static<typeof Problem>;

export const PublicAllowedTypes = Type.Object({ "extensions": Type.Array(Type.String()) }, { additionalProperties: false });
export type PublicAllowedTypes = Type.Static<typeof PublicAllowedTypes>;

export const PublicUpload = Type.Object({ "file": Type.Unsafe<ReceivedFile>({ type: "object", required: ["path"] }), "field_name": Type.String({ minLength: 1, maxLength: 255, pattern: "^[^\\x00]*$" }) }, { additionalProperties: false });
export type PublicUpload = Type.Static<typeof PublicUpload>;

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

export const Upload = Type.Object({ "file": Type.Unsafe<ReceivedFile>({ type: "object", required: ["path"] }), "process_key": Type.String({ minLength: 1, maxLength: 255, pattern: "^[^\\x00]*$" }), "field_name": Type.String({ minLength: 1, maxLength: 255, pattern: "^[^\\x00]*$" }), "process_instance_id": Type.Optional(Type.String({ maxLength: 255, pattern: "^[^\\x00]*$" })), "task_id": Type.Optional(Type.String({ maxLength: 255, pattern: "^[^\\x00]*$" })) }, { additionalProperties: false });
export type Upload = Type.Static<typeof Upload>;

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

export const UploadAttachmentParams = Type.Object({  }, { additionalProperties: false });
export type UploadAttachmentParams = Type.Static<typeof UploadAttachmentParams>;

export const UploadAttachmentQuery = Type.Object({  }, { additionalProperties: false });
export type UploadAttachmentQuery = Type.Static<typeof UploadAttachmentQuery>;

export const UploadAttachmentHeaders = Type.Object({ "x-active-tenant": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: Type.Unknown() });
export type UploadAttachmentHeaders = Type.Static<typeof UploadAttachmentHeaders>;

export const FinalizeAttachmentsParams = Type.Object({  }, { additionalProperties: false });
export type FinalizeAttachmentsParams = Type.Static<typeof FinalizeAttachmentsParams>;

export const FinalizeAttachmentsQuery = Type.Object({  }, { additionalProperties: false });
export type FinalizeAttachmentsQuery = Type.Static<typeof FinalizeAttachmentsQuery>;

export const FinalizeAttachmentsHeaders = Type.Object({ "x-active-tenant": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: Type.Unknown() });
export type FinalizeAttachmentsHeaders = Type.Static<typeof FinalizeAttachmentsHeaders>;

export const GetAllowedTypesParams = Type.Object({  }, { additionalProperties: false });
export type GetAllowedTypesParams = Type.Static<typeof GetAllowedTypesParams>;

export const GetAllowedTypesQuery = Type.Object({  }, { additionalProperties: false });
export type GetAllowedTypesQuery = Type.Static<typeof GetAllowedTypesQuery>;

export const GetAllowedTypesHeaders = Type.Object({ "x-active-tenant": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: Type.Unknown() });
export type GetAllowedTypesHeaders = Type.Static<typeof GetAllowedTypesHeaders>;

export const DeleteAttachmentParams = Type.Object({ "attachment_id": Type.String() }, { additionalProperties: false });
export type DeleteAttachmentParams = Type.Static<typeof DeleteAttachmentParams>;

export const DeleteAttachmentQuery = Type.Object({  }, { additionalProperties: false });
export type DeleteAttachmentQuery = Type.Static<typeof DeleteAttachmentQuery>;

export const DeleteAttachmentHeaders = Type.Object({ "x-active-tenant": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: Type.Unknown() });
export type DeleteAttachmentHeaders = Type.Static<typeof DeleteAttachmentHeaders>;

export const DownloadAttachmentParams = Type.Object({ "attachment_id": Type.String() }, { additionalProperties: false });
export type DownloadAttachmentParams = Type.Static<typeof DownloadAttachmentParams>;

export const DownloadAttachmentQuery = Type.Object({  }, { additionalProperties: false });
export type DownloadAttachmentQuery = Type.Static<typeof DownloadAttachmentQuery>;

export const DownloadAttachmentHeaders = Type.Object({ "x-active-tenant": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: Type.Unknown() });
export type DownloadAttachmentHeaders = Type.Static<typeof DownloadAttachmentHeaders>;

export const UploadPublicAttachmentParams = Type.Object({  }, { additionalProperties: false });
export type UploadPublicAttachmentParams = Type.Static<typeof UploadPublicAttachmentParams>;

export const UploadPublicAttachmentQuery = Type.Object({  }, { additionalProperties: false });
export type UploadPublicAttachmentQuery = Type.Static<typeof UploadPublicAttachmentQuery>;

export const GetPublicAllowedTypesParams = Type.Object({  }, { additionalProperties: false });
export type GetPublicAllowedTypesParams = Type.Static<typeof GetPublicAllowedTypesParams>;

export const GetPublicAllowedTypesQuery = Type.Object({  }, { additionalProperties: false });
export type GetPublicAllowedTypesQuery = Type.Static<typeof GetPublicAllowedTypesQuery>;

export const DeletePublicAttachmentParams = Type.Object({ "attachment_id": Type.String() }, { additionalProperties: false });
export type DeletePublicAttachmentParams = Type.Static<typeof DeletePublicAttachmentParams>;

export const DeletePublicAttachmentQuery = Type.Object({  }, { additionalProperties: false });
export type DeletePublicAttachmentQuery = Type.Static<typeof DeletePublicAttachmentQuery>;

export const DownloadSignedAttachmentParams = Type.Object({ "attachment_id": Type.String({ format: "uuid" }) }, { additionalProperties: false });
export type DownloadSignedAttachmentParams = Type.Static<typeof DownloadSignedAttachmentParams>;

export const DownloadSignedAttachmentQuery = Type.Object({ "token": Type.Optional(Type.String()) }, { additionalProperties: false });
export type DownloadSignedAttachmentQuery = Type.Static<typeof DownloadSignedAttachmentQuery>;

export const CreateEmbedParams = Type.Object({  }, { additionalProperties: false });
export type CreateEmbedParams = Type.Static<typeof CreateEmbedParams>;

export const CreateEmbedQuery = Type.Object({  }, { additionalProperties: false });
export type CreateEmbedQuery = Type.Static<typeof CreateEmbedQuery>;

export const CreateEmbedHeaders = Type.Object({ "x-active-tenant": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: Type.Unknown() });
export type CreateEmbedHeaders = Type.Static<typeof CreateEmbedHeaders>;

export const CreateFormSessionParams = Type.Object({  }, { additionalProperties: false });
export type CreateFormSessionParams = Type.Static<typeof CreateFormSessionParams>;

export const CreateFormSessionQuery = Type.Object({  }, { additionalProperties: false });
export type CreateFormSessionQuery = Type.Static<typeof CreateFormSessionQuery>;

export const IssueDownloadUrlsParams = Type.Object({  }, { additionalProperties: false });
export type IssueDownloadUrlsParams = Type.Static<typeof IssueDownloadUrlsParams>;

export const IssueDownloadUrlsQuery = Type.Object({  }, { additionalProperties: false });
export type IssueDownloadUrlsQuery = Type.Static<typeof IssueDownloadUrlsQuery>;

export const BindAttachmentsParams = Type.Object({  }, { additionalProperties: false });
export type BindAttachmentsParams = Type.Static<typeof BindAttachmentsParams>;

export const BindAttachmentsQuery = Type.Object({  }, { additionalProperties: false });
export type BindAttachmentsQuery = Type.Static<typeof BindAttachmentsQuery>;

export const ListParticipantsParams = Type.Object({ "process_instance_id": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: false });
export type ListParticipantsParams = Type.Static<typeof ListParticipantsParams>;

export const ListParticipantsQuery = Type.Object({  }, { additionalProperties: false });
export type ListParticipantsQuery = Type.Static<typeof ListParticipantsQuery>;

export const ListParticipantsHeaders = Type.Object({ "x-active-tenant": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: Type.Unknown() });
export type ListParticipantsHeaders = Type.Static<typeof ListParticipantsHeaders>;

export const AddParticipantParams = Type.Object({ "process_instance_id": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: false });
export type AddParticipantParams = Type.Static<typeof AddParticipantParams>;

export const AddParticipantQuery = Type.Object({  }, { additionalProperties: false });
export type AddParticipantQuery = Type.Static<typeof AddParticipantQuery>;

export const AddParticipantHeaders = Type.Object({ "x-active-tenant": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: Type.Unknown() });
export type AddParticipantHeaders = Type.Static<typeof AddParticipantHeaders>;

export const RemoveParticipantParams = Type.Object({ "process_instance_id": Type.String({ minLength: 1, maxLength: 255 }), "user": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: false });
export type RemoveParticipantParams = Type.Static<typeof RemoveParticipantParams>;

export const RemoveParticipantQuery = Type.Object({  }, { additionalProperties: false });
export type RemoveParticipantQuery = Type.Static<typeof RemoveParticipantQuery>;

export const RemoveParticipantHeaders = Type.Object({ "x-active-tenant": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: Type.Unknown() });
export type RemoveParticipantHeaders = Type.Static<typeof RemoveParticipantHeaders>;

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
