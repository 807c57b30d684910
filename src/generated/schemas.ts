// Generated from openapi/ by `bun run generate`. Do not edit.
import Type from "typebox";

/** A file of a multipart request, streamed to disk. Deleted once the request is answered. */
export interface ReceivedFile {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** Hexadecimal, lower case. Computed while the file arrives. */
  readonly sha256: string;
  /** The client's name for the file, without folders. */
  readonly fileName: string;
  /** The part's `Content-Type`. Undefined if the client gave none. */
  readonly declaredType: string | undefined;
}

export const Addon = Type.Object({ "key": Type.String(), "url": Type.String(), "updated_by": Type.String(), "updated_at": Type.String({ format: "date-time" }) }, { additionalProperties: false });
export type Addon = Type.Static<typeof Addon>;

export const Addons = Type.Object({ "addons": Type.Array(Addon) }, { additionalProperties: false });
export type Addons = Type.Static<typeof Addons>;

export const Row = Type.Object({ "id": Type.String({ pattern: "^-?[0-9]+$" }), "created_at": Type.String({ format: "date-time" }), "updated_at": Type.String({ format: "date-time" }) }, { additionalProperties: Type.Unknown() });
export type Row = Type.Static<typeof Row>;

export const AffectedRowsAnswer = Type.Object({ "success": Type.Literal(true), "message": Type.String(), "data": Type.Object({ "affected_rows": Type.Integer({ minimum: 0 }), "inserted_rows": Type.Optional(Type.Integer({ minimum: 0 })), "ids": Type.Optional(Type.Array(Type.String({ pattern: "^-?[0-9]+$" }), { maxItems: 1000 })), "rows": Type.Optional(Type.Array(Row)) }, { additionalProperties: false }) }, { additionalProperties: false });
export type AffectedRowsAnswer = Type.Static<typeof AffectedRowsAnswer>;

export const AllowedTypes = Type.Object({ "extensions": Type.Array(Type.String()), "max_size_mb": Type.Number() }, { additionalProperties: false });
export type AllowedTypes = Type.Static<typeof AllowedTypes>;

export const Identifier = Type.String({ pattern: "^[a-z][a-z0-9_]*$", maxLength: 63 });
export type Identifier = Type.Static<typeof Identifier>;

export const ColumnType = Type.Enum(["text","integer","bigint","numeric","boolean","date","timestamp","jsonb"]);
export type ColumnType = Type.Static<typeof ColumnType>;

export const ColumnDescription = Type.String({ maxLength: 10000 });
export type ColumnDescription = Type.Static<typeof ColumnDescription>;

export const ColumnDefault = Type.Unknown();
export type ColumnDefault = Type.Static<typeof ColumnDefault>;

export const OnDelete = Type.Enum(["restrict","cascade","set_null"]);
export type OnDelete = Type.Static<typeof OnDelete>;

export const Reference = Type.Object({ "table": Identifier, "on_delete": OnDelete, "state": Type.Optional(Type.Enum(["checking","failed"])) }, { additionalProperties: false });
export type Reference = Type.Static<typeof Reference>;

export const Column = Type.Object({ "name": Identifier, "type": ColumnType, "nullable": Type.Boolean(), "description": Type.Optional(ColumnDescription), "default": Type.Optional(ColumnDefault), "unique": Type.Optional(Type.Boolean()), "references": Type.Optional(Reference) }, { additionalProperties: false });
export type Column = Type.Static<typeof Column>;

export const IndexColumns = Type.Array(Identifier, { minItems: 1, maxItems: 16 });
export type IndexColumns = Type.Static<typeof IndexColumns>;

export const TableIndex = Type.Object({ "columns": IndexColumns, "unique": Type.Boolean(), "state": Type.Enum(["ready","building","failed"]), "error": Type.Optional(Type.String()) }, { additionalProperties: false });
export type TableIndex = Type.Static<typeof TableIndex>;

export const Dropped = Type.Object({ "at": Type.String({ format: "date-time" }), "by": Type.String(), "restorable_until": Type.String({ format: "date-time" }) }, { additionalProperties: false });
export type Dropped = Type.Static<typeof Dropped>;

export const DroppedColumn = Type.Object({ "column": Column, "dropped": Dropped }, { additionalProperties: false });
export type DroppedColumn = Type.Static<typeof DroppedColumn>;

export const TableRecord = Type.Object({ "id": Type.Integer(), "table_name": Identifier, "columns": Type.Array(Column), "description": Type.String(), "created_at": Type.String({ format: "date-time" }), "updated_at": Type.String({ format: "date-time" }), "version": Type.Optional(Type.Integer()), "indexes": Type.Optional(Type.Array(TableIndex)), "dropped": Type.Optional(Dropped), "dropped_columns": Type.Optional(Type.Array(DroppedColumn)) }, { additionalProperties: false });
export type TableRecord = Type.Static<typeof TableRecord>;

export const AlterationWait = Type.Enum(["nobody","writers","everybody"]);
export type AlterationWait = Type.Static<typeof AlterationWait>;

export const AlterationStep = Type.Object({ "pointer": Type.String(), "what": Type.String(), "rewrites_table": Type.Boolean(), "waits": AlterationWait, "seconds": Type.Number() }, { additionalProperties: false });
export type AlterationStep = Type.Static<typeof AlterationStep>;

export const AlterationLoss = Type.Object({ "pointer": Type.String(), "what": Type.String(), "rows": Type.Integer(), "restorable_until": Type.Optional(Type.String({ format: "date-time" })) }, { additionalProperties: false });
export type AlterationLoss = Type.Static<typeof AlterationLoss>;

export const AlterationFailure = Type.Object({ "pointer": Type.String(), "what": Type.String(), "rows": Type.Integer(), "row_ids": Type.Array(Type.String({ pattern: "^-?[0-9]+$" }), { maxItems: 100 }) }, { additionalProperties: false });
export type AlterationFailure = Type.Static<typeof AlterationFailure>;

export const AlterationPlan = Type.Object({ "rows": Type.Integer(), "rewrites_table": Type.Boolean(), "waits": AlterationWait, "seconds": Type.Number(), "confirm_required": Type.Boolean(), "steps": Type.Array(AlterationStep), "losses": Type.Array(AlterationLoss), "failures": Type.Array(AlterationFailure, { maxItems: 100 }) }, { additionalProperties: false });
export type AlterationPlan = Type.Static<typeof AlterationPlan>;

export const AlterationAnswer = Type.Object({ "success": Type.Literal(true), "message": Type.String(), "data": Type.Object({ "table": TableRecord, "plan": AlterationPlan }, { additionalProperties: false }) }, { additionalProperties: false });
export type AlterationAnswer = Type.Static<typeof AlterationAnswer>;

export const AttachmentIds = Type.Array(Type.String({ format: "uuid" }), { minItems: 1, maxItems: 1000 });
export type AttachmentIds = Type.Static<typeof AttachmentIds>;

export const AttachmentMetadata = Type.Object({ "attachment_id": Type.String({ format: "uuid" }), "file_name": Type.String(), "mime_type": Type.String(), "size": Type.Integer({ minimum: 0 }), "type": Type.Literal("file_attachment"), "uploaded_at": Type.String({ format: "date-time" }) }, { additionalProperties: false });
export type AttachmentMetadata = Type.Static<typeof AttachmentMetadata>;

export const AuditRecord = Type.Object({ "id": Type.String({ pattern: "^-?[0-9]+$" }), "at": Type.String({ format: "date-time" }), "actor": Type.String(), "action": Type.String(), "table_name": Type.Union([Type.String(), Type.Null()]), "statement": Type.String(), "affected_rows": Type.Union([Type.Integer(), Type.Null()]), "outcome": Type.Enum(["success","failure"]), "error": Type.Union([Type.String(), Type.Null()]), "request_id": Type.String({ format: "uuid" }) }, { additionalProperties: false });
export type AuditRecord = Type.Static<typeof AuditRecord>;

export const AuditRecordsAnswer = Type.Object({ "success": Type.Literal(true), "message": Type.String(), "data": Type.Object({ "records": Type.Array(AuditRecord), "next": Type.Optional(Type.String()) }, { additionalProperties: false }) }, { additionalProperties: false });
export type AuditRecordsAnswer = Type.Static<typeof AuditRecordsAnswer>;

export const Binding = Type.Object({ "tenant_id": Type.Integer({ minimum: 1, maximum: 9007199254740991 }), "process_instance_id": Type.String({ minLength: 1, maxLength: 255, pattern: "^[^\\x00]*$" }), "task_id": Type.Optional(Type.String({ maxLength: 255, pattern: "^[^\\x00]*$" })), "attachment_ids": AttachmentIds }, { additionalProperties: false });
export type Binding = Type.Static<typeof Binding>;

export const TrailFault = Type.Object({ "kind": Type.Enum(["record_changed","record_removed","record_added","checkpoint_changed","checkpoint_removed"]), "id": Type.String() }, { additionalProperties: false });
export type TrailFault = Type.Static<typeof TrailFault>;

export const Checkpoint = Type.Object({ "number": Type.String({ pattern: "^[0-9]+$" }), "at": Type.String({ format: "date-time" }), "after_id": Type.String(), "last_id": Type.String(), "records": Type.Integer(), "newest_at": Type.String({ format: "date-time" }), "digest": Type.String(), "purged_at": Type.Union([Type.String({ format: "date-time" }), Type.Null()]), "intact": Type.Boolean(), "faults": Type.Array(TrailFault, { maxItems: 100 }) }, { additionalProperties: false });
export type Checkpoint = Type.Static<typeof Checkpoint>;

export const CheckpointsAnswer = Type.Object({ "success": Type.Literal(true), "message": Type.String(), "data": Type.Object({ "checkpoints": Type.Array(Checkpoint), "next": Type.Optional(Type.String()) }, { additionalProperties: false }) }, { additionalProperties: false });
export type CheckpointsAnswer = Type.Static<typeof CheckpointsAnswer>;

export const NewReference = Type.Object({ "table": Identifier, "on_delete": Type.Optional(Type.Enum(["restrict","cascade","set_null"])) }, { additionalProperties: false });
export type NewReference = Type.Static<typeof NewReference>;

export const ColumnAlteration = Type.Object({ "name": Identifier, "type": Type.Optional(ColumnType), "nullable": Type.Optional(Type.Boolean()), "description": Type.Optional(ColumnDescription), "default": Type.Optional(ColumnDefault), "unique": Type.Optional(Type.Boolean()), "references": Type.Optional(Type.Union([NewReference, Type.Null()])) }, { additionalProperties: false, minProperties: 2 });
export type ColumnAlteration = Type.Static<typeof ColumnAlteration>;

export const ColumnDefinition = Type.Object({ "name": Identifier, "type": ColumnType, "nullable": Type.Optional(Type.Boolean()), "description": Type.Optional(ColumnDescription), "default": Type.Optional(ColumnDefault), "unique": Type.Optional(Type.Boolean()), "references": Type.Optional(NewReference) }, { additionalProperties: false });
export type ColumnDefinition = Type.Static<typeof ColumnDefinition>;

export const ColumnRename = Type.Object({ "from": Identifier, "to": Identifier }, { additionalProperties: false });
export type ColumnRename = Type.Static<typeof ColumnRename>;

export const ColumnRestoration = Type.Object({ "name": Identifier, "as": Type.Optional(Identifier) }, { additionalProperties: false });
export type ColumnRestoration = Type.Static<typeof ColumnRestoration>;

export const Condition = Type.Unsafe<Record<string, unknown>>({"type":"object","minProperties":1,"maxProperties":1600});
export type Condition = Type.Static<typeof Condition>;

export const Contract = Type.Object({ "openapi": Type.String(), "info": Type.Unsafe<Record<string, unknown>>({"type":"object"}), "paths": Type.Unsafe<Record<string, unknown>>({"type":"object"}) }, { additionalProperties: Type.Unknown() });
export type Contract = Type.Static<typeof Contract>;

export const Deployment = Type.Object({ "process_key": Type.String(), "version": Type.Integer({ minimum: 1 }), "name": Type.String(), "warnings": Type.Array(Type.String()) }, { additionalProperties: false });
export type Deployment = Type.Static<typeof Deployment>;

export const DownloadUrl = Type.Object({ "attachment_id": Type.String({ format: "uuid" }), "url": Type.String({ format: "uri" }), "expires_at": Type.String({ format: "date-time" }) }, { additionalProperties: false });
export type DownloadUrl = Type.Static<typeof DownloadUrl>;

export const DownloadUrlRequest = Type.Object({ "tenant_id": Type.Integer({ minimum: 1, maximum: 9007199254740991 }), "process_instance_id": Type.String({ minLength: 1, maxLength: 255, pattern: "^[^\\x00]*$" }), "attachment_ids": Type.Array(Type.String({ format: "uuid" }), { minItems: 1, maxItems: 1000 }) }, { additionalProperties: false });
export type DownloadUrlRequest = Type.Static<typeof DownloadUrlRequest>;

export const DownloadUrls = Type.Object({ "urls": Type.Array(DownloadUrl) }, { additionalProperties: false });
export type DownloadUrls = Type.Static<typeof DownloadUrls>;

export const HeaderValue = Type.String();
export type HeaderValue = Type.Static<typeof HeaderValue>;

export const DryRunRequest = Type.Object({ "method": Type.String(), "url": Type.String(), "headers": Type.Unsafe<Record<string, Type.Static<typeof HeaderValue>>>(Type.Object({}, { additionalProperties: HeaderValue })), "body": Type.Union([Type.String(), Type.Null()]) }, { additionalProperties: false });
export type DryRunRequest = Type.Static<typeof DryRunRequest>;

export const DryRunFailure = Type.Object({ "type": Type.String(), "message": Type.String() }, { additionalProperties: false });
export type DryRunFailure = Type.Static<typeof DryRunFailure>;

export const DryRunTask = Type.Object({ "activity_id": Type.String(), "line": Type.Integer({ minimum: 1 }), "topic": Type.Enum(["api-call","addon"]), "request": Type.Union([DryRunRequest, Type.Null()]), "failure": Type.Union([DryRunFailure, Type.Null()]) }, { additionalProperties: false });
export type DryRunTask = Type.Static<typeof DryRunTask>;

export const DryRunTasks = Type.Array(DryRunTask);
export type DryRunTasks = Type.Static<typeof DryRunTasks>;

export const DryRun = Type.Object({ "faults": Type.Array(Type.String()), "warnings": Type.Array(Type.String()), "service_tasks": DryRunTasks }, { additionalProperties: false });
export type DryRun = Type.Static<typeof DryRun>;

export const Embed = Type.Object({ "embed_id": Type.String(), "url": Type.String() }, { additionalProperties: false });
export type Embed = Type.Static<typeof Embed>;

export const Embeds = Type.Array(Type.Object({ "embed_id": Type.String(), "url": Type.String(), "process_key": Type.String(), "allowed_origins": Type.Array(Type.String()), "created_by": Type.String(), "created_at": Type.String({ format: "date-time" }) }, { additionalProperties: false }));
export type Embeds = Type.Static<typeof Embeds>;

export const EngineVariable = Type.Object({ "type": Type.String(), "value": Type.Unknown(), "valueInfo": Type.Object({ "filename": Type.Optional(Type.String()), "mimeType": Type.Optional(Type.String()) }, { additionalProperties: false }) }, { additionalProperties: false });
export type EngineVariable = Type.Static<typeof EngineVariable>;

export const EngineVariables = Type.Unsafe<Record<string, Type.Static<typeof EngineVariable>>>(Type.Object({}, { additionalProperties: EngineVariable }));
export type EngineVariables = Type.Static<typeof EngineVariables>;

export const ExportedRecords = Type.Unsafe<Blob>({});
export type ExportedRecords = Type.Static<typeof ExportedRecords>;

export const ExportedRows = Type.Unsafe<Blob>({});
export type ExportedRows = Type.Static<typeof ExportedRows>;

export const Fault = Type.Object({ "pointer": Type.String(), "detail": Type.String(), "line": Type.Optional(Type.Integer({ minimum: 1 })), "column": Type.Optional(Type.String()), "value": Type.Optional(Type.String()) }, { additionalProperties: false });
export type Fault = Type.Static<typeof Fault>;

export const FileContent = Type.Unsafe<Blob>({});
export type FileContent = Type.Static<typeof FileContent>;

export const FileUpload = Type.Object({ "file": Type.Unsafe<ReceivedFile>({ type: "object", required: ["path"] }) }, { additionalProperties: false });
export type FileUpload = Type.Static<typeof FileUpload>;

export const Finalization = Type.Object({ "attachment_ids": AttachmentIds, "process_instance_id": Type.Optional(Type.String({ maxLength: 255, pattern: "^[^\\x00]*$" })), "task_id": Type.Optional(Type.String({ maxLength: 255, pattern: "^[^\\x00]*$" })) }, { additionalProperties: false });
export type Finalization = Type.Static<typeof Finalization>;

export const Finalized = Type.Object({ "committed": Type.Array(Type.String({ format: "uuid" })), "process_instance_id": Type.Union([Type.String(), Type.Null()]), "task_id": Type.Union([Type.String(), Type.Null()]) }, { additionalProperties: false });
export type Finalized = Type.Static<typeof Finalized>;

export const Form = Type.Union([Type.Unsafe<Record<string, unknown>>({"type":"object"}), Type.Null()]);
export type Form = Type.Static<typeof Form>;

export const FormSession = Type.Object({ "form_token": Type.String(), "expires_at": Type.String({ format: "date-time" }) }, { additionalProperties: false });
export type FormSession = Type.Static<typeof FormSession>;

export const Health = Type.Object({ "status": Type.Enum(["ok"]) }, { additionalProperties: false });
export type Health = Type.Static<typeof Health>;

export const Incident = Type.Object({ "incident_id": Type.String(), "process_instance_id": Type.String(), "process_key": Type.String(), "activity_id": Type.String(), "type": Type.String(), "message": Type.String(), "request_sent": Type.Enum(["no","yes","unknown"]), "attempt": Type.Integer({ minimum: 0 }), "created_at": Type.String({ format: "date-time" }), "resolved_at": Type.Union([Type.String({ format: "date-time" }), Type.Null()]) }, { additionalProperties: false });
export type Incident = Type.Static<typeof Incident>;

export const Incidents = Type.Array(Incident);
export type Incidents = Type.Static<typeof Incidents>;

export const IndexChoice = Type.Object({ "columns": IndexColumns }, { additionalProperties: false });
export type IndexChoice = Type.Static<typeof IndexChoice>;

export const InstanceState = Type.Enum(["active","incident","completed","terminated"]);
export type InstanceState = Type.Static<typeof InstanceState>;

export const ListedProcessInstance = Type.Object({ "process_instance_id": Type.String(), "process_key": Type.String(), "version": Type.Integer({ minimum: 1 }), "state": InstanceState, "business_key": Type.Union([Type.String(), Type.Null()]), "started_by": Type.Union([Type.String(), Type.Null()]), "started_at": Type.String({ format: "date-time" }), "ended_at": Type.Union([Type.String({ format: "date-time" }), Type.Null()]) }, { additionalProperties: false });
export type ListedProcessInstance = Type.Static<typeof ListedProcessInstance>;

export const ListedRow = Type.Unsafe<Record<string, unknown>>({"type":"object"});
export type ListedRow = Type.Static<typeof ListedRow>;

export const MessageAttachment = Type.Object({ "attachment_id": Type.String(), "file_name": Type.String(), "mime_type": Type.String(), "size": Type.Integer() }, { additionalProperties: false });
export type MessageAttachment = Type.Static<typeof MessageAttachment>;

export const Message = Type.Object({ "message_id": Type.String(), "author": Type.String(), "text": Type.String(), "created_at": Type.String({ format: "date-time" }), "attachments": Type.Array(MessageAttachment) }, { additionalProperties: false });
export type Message = Type.Static<typeof Message>;

export const Messages = Type.Object({ "messages": Type.Array(Message), "page": Type.Integer(), "limit": Type.Integer() }, { additionalProperties: false });
export type Messages = Type.Static<typeof Messages>;

export const NewAddon = Type.Object({ "url": Type.String({ minLength: 1, maxLength: 2000, pattern: "^https?://[^\\x00-\\x20]+$" }) }, { additionalProperties: false });
export type NewAddon = Type.Static<typeof NewAddon>;

export const NewDeployment = Type.Object({ "bpmn": Type.Unsafe<ReceivedFile>({ type: "object", required: ["path"] }), "form": Type.Optional(Type.Array(Type.Unsafe<ReceivedFile>({ type: "object", required: ["path"] }), { maxItems: 50 })) }, { additionalProperties: false });
export type NewDeployment = Type.Static<typeof NewDeployment>;

export const Variable = Type.Object({ "value": Type.Unknown(), "type": Type.Optional(Type.Enum(["String","Integer","Long","Double","Boolean","Date","Json","Null","File"])), "valueInfo": Type.Optional(Type.Object({ "filename": Type.Optional(Type.String({ minLength: 1, maxLength: 255, pattern: "^[^\\x00]*$" })), "mimetype": Type.Optional(Type.String({ maxLength: 255, pattern: "^[\\w.+-]+/[\\w.+-]+$" })), "mimeType": Type.Optional(Type.String({ maxLength: 255, pattern: "^[\\w.+-]+/[\\w.+-]+$" })) }, { additionalProperties: false })) }, { additionalProperties: false });
export type Variable = Type.Static<typeof Variable>;

export const Variables = Type.Unsafe<Record<string, Type.Static<typeof Variable>>>(Type.Object({}, { additionalProperties: Variable, maxProperties: 1000 }));
export type Variables = Type.Static<typeof Variables>;

export const NewDryRun = Type.Object({ "bpmn": Type.String({ minLength: 1, maxLength: 2097152, pattern: "^[^\\x00]*$" }), "forms": Type.Optional(Type.Array(Type.Unsafe<Record<string, unknown>>({"type":"object"}), { maxItems: 50 })), "variables": Type.Optional(Variables) }, { additionalProperties: false });
export type NewDryRun = Type.Static<typeof NewDryRun>;

export const NewEmbed = Type.Object({ "process_key": Type.String({ minLength: 1, maxLength: 255, pattern: "^[^\\x00]*$" }), "allowed_origins": Type.Optional(Type.Array(Type.String({ maxLength: 255, pattern: "^https?://[a-z0-9.-]+(:[0-9]{1,5})?$" }), { maxItems: 20 })) }, { additionalProperties: false });
export type NewEmbed = Type.Static<typeof NewEmbed>;

export const NewFormSession = Type.Object({ "embed_id": Type.String({ minLength: 1, maxLength: 255, pattern: "^[^\\x00]*$" }) }, { additionalProperties: false });
export type NewFormSession = Type.Static<typeof NewFormSession>;

export const NewIndex = Type.Object({ "columns": IndexColumns, "unique": Type.Optional(Type.Boolean()) }, { additionalProperties: false });
export type NewIndex = Type.Static<typeof NewIndex>;

export const NewMessage = Type.Object({ "text": Type.Optional(Type.String({ maxLength: 10000, pattern: "^[^\\x00]*$" })), "file": Type.Optional(Type.Array(Type.Unsafe<ReceivedFile>({ type: "object", required: ["path"] }), { maxItems: 5 })) }, { additionalProperties: false });
export type NewMessage = Type.Static<typeof NewMessage>;

export const NewParticipant = Type.Object({ "user": Type.String({ minLength: 1, maxLength: 255, pattern: "^[^\\x00]*$" }) }, { additionalProperties: false });
export type NewParticipant = Type.Static<typeof NewParticipant>;

export const NewProcessInstance = Type.Object({ "process_key": Type.String({ minLength: 1, maxLength: 255, pattern: "^[^\\x00]*$" }), "business_key": Type.Optional(Type.String({ minLength: 1, maxLength: 255, pattern: "^[^\\x00-\\x1f\\x7f]*$" })), "variables": Type.Optional(Variables) }, { additionalProperties: false });
export type NewProcessInstance = Type.Static<typeof NewProcessInstance>;

export const NewRevocation = Type.Object({ "jti": Type.String({ minLength: 1, maxLength: 255, pattern: "^[^\\x00]*$" }), "expires_at": Type.Optional(Type.String({ maxLength: 40, format: "date-time" })) }, { additionalProperties: false });
export type NewRevocation = Type.Static<typeof NewRevocation>;

export const Values = Type.Unsafe<Record<string, unknown>>({"type":"object","maxProperties":1600});
export type Values = Type.Static<typeof Values>;

export const OnConflict = Type.Object({ "columns": Type.Array(Identifier, { minItems: 1, maxItems: 32 }), "do": Type.Enum(["update","nothing"]) }, { additionalProperties: false });
export type OnConflict = Type.Static<typeof OnConflict>;

export const NewRows = Type.Object({ "rows": Type.Array(Values, { minItems: 1, maxItems: 10000 }), "on_conflict": Type.Optional(OnConflict) }, { additionalProperties: false });
export type NewRows = Type.Static<typeof NewRows>;

export const NewSecret = Type.Object({ "value": Type.String({ minLength: 1, maxLength: 8192 }) }, { additionalProperties: false });
export type NewSecret = Type.Static<typeof NewSecret>;

export const NewTable = Type.Object({ "name": Identifier, "description": Type.Optional(Type.String({ maxLength: 10000 })), "columns": Type.Array(ColumnDefinition, { minItems: 1, maxItems: 1500 }), "indexes": Type.Optional(Type.Array(NewIndex, { maxItems: 50 })) }, { additionalProperties: false });
export type NewTable = Type.Static<typeof NewTable>;

export const Participant = Type.Object({ "user": Type.String(), "added_by": Type.String(), "added_at": Type.String({ format: "date-time" }) }, { additionalProperties: false });
export type Participant = Type.Static<typeof Participant>;

export const Participants = Type.Object({ "participants": Type.Array(Participant) }, { additionalProperties: false });
export type Participants = Type.Static<typeof Participants>;

export const Problem = Type.Object({ "success": Type.Literal(false), "message": Type.String(), "type": Type.String(), "title": Type.String(), "status": Type.Integer({ minimum: 400, maximum: 599 }), "code": Type.String(), "request_id": Type.String(), "errors": Type.Optional(Type.Array(Fault, { maxItems: 100 })) }, { additionalProperties: Type.Unknown() });
export type Problem = Type.Static<typeof Problem>;

export const ProcessDefinition = Type.Object({ "process_key": Type.String(), "version": Type.Integer({ minimum: 1 }), "name": Type.String(), "deployed_by": Type.String(), "deployed_at": Type.String({ format: "date-time" }) }, { additionalProperties: false });
export type ProcessDefinition = Type.Static<typeof ProcessDefinition>;

export const ProcessDefinitionDetail = Type.Object({ "process_key": Type.String(), "version": Type.Integer({ minimum: 1 }), "name": Type.String(), "deployed_by": Type.String(), "deployed_at": Type.String({ format: "date-time" }), "bpmn": Type.Optional(Type.String()), "start_form": Form }, { additionalProperties: false });
export type ProcessDefinitionDetail = Type.Static<typeof ProcessDefinitionDetail>;

export const ProcessDefinitions = Type.Object({ "process_definitions": Type.Array(ProcessDefinition) }, { additionalProperties: false });
export type ProcessDefinitions = Type.Static<typeof ProcessDefinitions>;

export const ProcessInstance = Type.Object({ "process_instance_id": Type.String(), "process_key": Type.String(), "state": InstanceState, "business_key": Type.Optional(Type.Union([Type.String(), Type.Null()])) }, { additionalProperties: false });
export type ProcessInstance = Type.Static<typeof ProcessInstance>;

export const ProcessInstances = Type.Array(ListedProcessInstance);
export type ProcessInstances = Type.Static<typeof ProcessInstances>;

export const ProcessVersions = Type.Array(ProcessDefinition);
export type ProcessVersions = Type.Static<typeof ProcessVersions>;

export const PublicAllowedTypes = Type.Object({ "extensions": Type.Array(Type.String()) }, { additionalProperties: false });
export type PublicAllowedTypes = Type.Static<typeof PublicAllowedTypes>;

export const PublicUpload = Type.Object({ "file": Type.Unsafe<ReceivedFile>({ type: "object", required: ["path"] }), "field_name": Type.String({ minLength: 1, maxLength: 255, pattern: "^[^\\x00]*$" }) }, { additionalProperties: false });
export type PublicUpload = Type.Static<typeof PublicUpload>;

export const ReadVariable = Type.Object({ "type": Type.String(), "value": Type.Unknown(), "filename": Type.Optional(Type.String()), "size": Type.Optional(Type.Integer()), "mime_type": Type.Optional(Type.String()) }, { additionalProperties: false });
export type ReadVariable = Type.Static<typeof ReadVariable>;

export const ReadVariables = Type.Unsafe<Record<string, Type.Static<typeof ReadVariable>>>(Type.Object({}, { additionalProperties: ReadVariable }));
export type ReadVariables = Type.Static<typeof ReadVariables>;

export const ReadinessWarning = Type.Object({ "code": Type.String(), "message": Type.String() }, { additionalProperties: false });
export type ReadinessWarning = Type.Static<typeof ReadinessWarning>;

export const Readiness = Type.Object({ "status": Type.Enum(["ok"]), "warnings": Type.Optional(Type.Array(ReadinessWarning)) }, { additionalProperties: false });
export type Readiness = Type.Static<typeof Readiness>;

export const ReportInstance = Type.Object({ "process_instance_id": Type.String(), "version": Type.Integer(), "state": Type.Enum(["active","completed","terminated"]), "started_by": Type.Union([Type.String(), Type.Null()]), "started_at": Type.String({ format: "date-time" }), "ended_at": Type.Union([Type.String({ format: "date-time" }), Type.Null()]), "variables": ReadVariables }, { additionalProperties: false });
export type ReportInstance = Type.Static<typeof ReportInstance>;

export const ReportAnswer = Type.Object({ "success": Type.Literal(true), "message": Type.String(), "data": Type.Object({ "instances": Type.Array(ReportInstance), "page": Type.Integer(), "limit": Type.Integer(), "total": Type.Integer() }, { additionalProperties: false }) }, { additionalProperties: false });
export type ReportAnswer = Type.Static<typeof ReportAnswer>;

export const Rerun = Type.Object({ "incident_id": Type.String(), "process_instance_id": Type.String() }, { additionalProperties: false });
export type Rerun = Type.Static<typeof Rerun>;

export const Revocation = Type.Object({ "jti": Type.String(), "expires_at": Type.Union([Type.String({ format: "date-time" }), Type.Null()]), "revoked_by": Type.String(), "revoked_at": Type.String({ format: "date-time" }) }, { additionalProperties: false });
export type Revocation = Type.Static<typeof Revocation>;

export const RowAnswer = Type.Object({ "success": Type.Literal(true), "message": Type.String(), "data": Row }, { additionalProperties: false });
export type RowAnswer = Type.Static<typeof RowAnswer>;

export const RowDeletion = Type.Object({ "where": Condition }, { additionalProperties: false });
export type RowDeletion = Type.Static<typeof RowDeletion>;

export const RowFile = Type.Unsafe<ReceivedFile>({ type: "object", required: ["path"] });
export type RowFile = Type.Static<typeof RowFile>;

export const RowListAnswer = Type.Object({ "success": Type.Literal(true), "message": Type.String(), "data": Type.Object({ "rows": Type.Array(ListedRow, { maxItems: 500 }), "page": Type.Integer(), "limit": Type.Integer(), "total": Type.Optional(Type.Integer()), "next": Type.Optional(Type.String()) }, { additionalProperties: false }) }, { additionalProperties: false });
export type RowListAnswer = Type.Static<typeof RowListAnswer>;

export const RowUpdate = Type.Object({ "where": Condition, "set": Type.Unsafe<Record<string, unknown>>({"type":"object","minProperties":1,"maxProperties":1600}) }, { additionalProperties: false });
export type RowUpdate = Type.Static<typeof RowUpdate>;

export const RowValues = Type.Unsafe<Record<string, unknown>>({"type":"object","minProperties":1,"maxProperties":1600});
export type RowValues = Type.Static<typeof RowValues>;

export const Secret = Type.Object({ "name": Type.String(), "updated_by": Type.String(), "updated_at": Type.String({ format: "date-time" }) }, { additionalProperties: false });
export type Secret = Type.Static<typeof Secret>;

export const Secrets = Type.Object({ "secrets": Type.Array(Secret) }, { additionalProperties: false });
export type Secrets = Type.Static<typeof Secrets>;

export const SessionDraft = Type.Object({ "field_name": Type.String(), "metadata": AttachmentMetadata }, { additionalProperties: false });
export type SessionDraft = Type.Static<typeof SessionDraft>;

export const SessionLimits = Type.Object({ "extensions": Type.Array(Type.String()), "max_file_bytes": Type.Integer(), "max_files": Type.Integer(), "max_total_bytes": Type.Integer(), "files_left": Type.Integer(), "bytes_left": Type.Integer() }, { additionalProperties: false });
export type SessionLimits = Type.Static<typeof SessionLimits>;

export const StartForm = Type.Object({ "process_key": Type.String(), "name": Type.String(), "form": Form, "expires_at": Type.String({ format: "date-time" }), "limits": SessionLimits, "drafts": Type.Array(SessionDraft), "process_instance_id": Type.Union([Type.String(), Type.Null()]) }, { additionalProperties: false });
export type StartForm = Type.Static<typeof StartForm>;

export const TableAlteration = Type.Object({ "rename_to": Type.Optional(Identifier), "description": Type.Optional(Type.String({ maxLength: 10000 })), "drop_columns": Type.Optional(Type.Array(Identifier, { maxItems: 1500 })), "rename_columns": Type.Optional(Type.Array(ColumnRename, { maxItems: 1500 })), "alter_columns": Type.Optional(Type.Array(ColumnAlteration, { maxItems: 1500 })), "add_columns": Type.Optional(Type.Array(ColumnDefinition, { maxItems: 1500 })), "restore_columns": Type.Optional(Type.Array(ColumnRestoration, { maxItems: 1500 })), "drop_indexes": Type.Optional(Type.Array(IndexChoice, { maxItems: 50 })), "add_indexes": Type.Optional(Type.Array(NewIndex, { maxItems: 50 })) }, { additionalProperties: false, minProperties: 1 });
export type TableAlteration = Type.Static<typeof TableAlteration>;

export const TableAnswer = Type.Object({ "success": Type.Literal(true), "message": Type.String(), "data": TableRecord }, { additionalProperties: false });
export type TableAnswer = Type.Static<typeof TableAnswer>;

export const TableListAnswer = Type.Object({ "success": Type.Literal(true), "message": Type.String(), "data": Type.Object({ "tables": Type.Array(TableRecord) }, { additionalProperties: false }) }, { additionalProperties: false });
export type TableListAnswer = Type.Static<typeof TableListAnswer>;

export const TableRestoration = Type.Object({ "name": Type.Optional(Identifier) }, { additionalProperties: false });
export type TableRestoration = Type.Static<typeof TableRestoration>;

export const Task = Type.Object({ "task_id": Type.String(), "process_instance_id": Type.String(), "process_key": Type.String(), "activity_id": Type.String(), "name": Type.String(), "form_key": Type.Union([Type.String(), Type.Null()]), "created_at": Type.String({ format: "date-time" }), "assignee": Type.Union([Type.String(), Type.Null()]), "candidate_users": Type.Array(Type.String()), "candidate_groups": Type.Array(Type.String()) }, { additionalProperties: false });
export type Task = Type.Static<typeof Task>;

export const TaskAssignment = Type.Object({ "assignee": Type.Union([Type.String({ minLength: 1, maxLength: 255, pattern: "^[^\\x00]*$" }), Type.Null()]) }, { additionalProperties: false });
export type TaskAssignment = Type.Static<typeof TaskAssignment>;

export const TaskCompletion = Type.Object({ "variables": Type.Optional(Variables) }, { additionalProperties: false });
export type TaskCompletion = Type.Static<typeof TaskCompletion>;

export const TaskDetail = Type.Object({ "task_id": Type.String(), "process_instance_id": Type.String(), "process_key": Type.String(), "activity_id": Type.String(), "name": Type.String(), "form_key": Type.Union([Type.String(), Type.Null()]), "created_at": Type.String({ format: "date-time" }), "assignee": Type.Union([Type.String(), Type.Null()]), "candidate_users": Type.Array(Type.String()), "candidate_groups": Type.Array(Type.String()), "form": Form }, { additionalProperties: false });
export type TaskDetail = Type.Static<typeof TaskDetail>;

export const Tasks = Type.Array(Task);
export type Tasks = Type.Static<typeof Tasks>;

export const Upload = Type.Object({ "file": Type.Unsafe<ReceivedFile>({ type: "object", required: ["path"] }), "process_key": Type.String({ minLength: 1, maxLength: 255, pattern: "^[^\\x00]*$" }), "field_name": Type.String({ minLength: 1, maxLength: 255, pattern: "^[^\\x00]*$" }), "process_instance_id": Type.Optional(Type.String({ maxLength: 255, pattern: "^[^\\x00]*$" })), "task_id": Type.Optional(Type.String({ maxLength: 255, pattern: "^[^\\x00]*$" })) }, { additionalProperties: false });
export type Upload = Type.Static<typeof Upload>;

export const UploadedFile = Type.Object({ "path": Type.String() }, { additionalProperties: false });
export type UploadedFile = Type.Static<typeof UploadedFile>;

export const VariableCorrections = Type.Object({ "variables": Variables }, { additionalProperties: false });
export type VariableCorrections = Type.Static<typeof VariableCorrections>;

export const VisitorStart = Type.Object({ "variables": Type.Optional(Variables) }, { additionalProperties: false });
export type VisitorStart = Type.Static<typeof VisitorStart>;

export const ListTablesParams = Type.Object({ "tenantId": Type.Integer({ minimum: 1, maximum: 9007199254740991 }) }, { additionalProperties: false });
export type ListTablesParams = Type.Static<typeof ListTablesParams>;

export const ListTablesQuery = Type.Object({ "$dropped": Type.Optional(Type.Boolean()) }, { additionalProperties: false });
export type ListTablesQuery = Type.Static<typeof ListTablesQuery>;

export const CreateTableParams = Type.Object({ "tenantId": Type.Integer({ minimum: 1, maximum: 9007199254740991 }) }, { additionalProperties: false });
export type CreateTableParams = Type.Static<typeof CreateTableParams>;

export const CreateTableQuery = Type.Object({  }, { additionalProperties: false });
export type CreateTableQuery = Type.Static<typeof CreateTableQuery>;

export const CreateTableHeaders = Type.Object({ "idempotency-key": Type.Optional(Type.String({ maxLength: 255, pattern: "^[\\x21-\\x7E]+$" })) }, { additionalProperties: Type.Unknown() });
export type CreateTableHeaders = Type.Static<typeof CreateTableHeaders>;

export const GetTableParams = Type.Object({ "tenantId": Type.Integer({ minimum: 1, maximum: 9007199254740991 }), "table": Type.String() }, { additionalProperties: false });
export type GetTableParams = Type.Static<typeof GetTableParams>;

export const GetTableQuery = Type.Object({ "$dropped": Type.Optional(Type.Boolean()) }, { additionalProperties: false });
export type GetTableQuery = Type.Static<typeof GetTableQuery>;

export const AlterTableParams = Type.Object({ "tenantId": Type.Integer({ minimum: 1, maximum: 9007199254740991 }), "table": Type.String() }, { additionalProperties: false });
export type AlterTableParams = Type.Static<typeof AlterTableParams>;

export const AlterTableQuery = Type.Object({ "$dry_run": Type.Optional(Type.Boolean()), "confirm": Type.Optional(Type.Boolean()), "$purge": Type.Optional(Type.Boolean()) }, { additionalProperties: false });
export type AlterTableQuery = Type.Static<typeof AlterTableQuery>;

export const AlterTableHeaders = Type.Object({ "idempotency-key": Type.Optional(Type.String({ maxLength: 255, pattern: "^[\\x21-\\x7E]+$" })), "if-match": Type.Optional(Type.String({ maxLength: 1000 })) }, { additionalProperties: Type.Unknown() });
export type AlterTableHeaders = Type.Static<typeof AlterTableHeaders>;

export const DropTableParams = Type.Object({ "tenantId": Type.Integer({ minimum: 1, maximum: 9007199254740991 }), "table": Type.String() }, { additionalProperties: false });
export type DropTableParams = Type.Static<typeof DropTableParams>;

export const DropTableQuery = Type.Object({ "confirm": Type.Optional(Type.Boolean()), "$purge": Type.Optional(Type.Boolean()) }, { additionalProperties: false });
export type DropTableQuery = Type.Static<typeof DropTableQuery>;

export const DropTableHeaders = Type.Object({ "idempotency-key": Type.Optional(Type.String({ maxLength: 255, pattern: "^[\\x21-\\x7E]+$" })), "if-match": Type.Optional(Type.String({ maxLength: 1000 })) }, { additionalProperties: Type.Unknown() });
export type DropTableHeaders = Type.Static<typeof DropTableHeaders>;

export const RestoreTableParams = Type.Object({ "tenantId": Type.Integer({ minimum: 1, maximum: 9007199254740991 }), "table": Type.Integer({ minimum: 1, maximum: 9007199254740991 }) }, { additionalProperties: false });
export type RestoreTableParams = Type.Static<typeof RestoreTableParams>;

export const RestoreTableQuery = Type.Object({  }, { additionalProperties: false });
export type RestoreTableQuery = Type.Static<typeof RestoreTableQuery>;

export const RestoreTableHeaders = Type.Object({ "idempotency-key": Type.Optional(Type.String({ maxLength: 255, pattern: "^[\\x21-\\x7E]+$" })) }, { additionalProperties: Type.Unknown() });
export type RestoreTableHeaders = Type.Static<typeof RestoreTableHeaders>;

export const ListRowsParams = Type.Object({ "tenantId": Type.Integer({ minimum: 1, maximum: 9007199254740991 }), "table": Type.String() }, { additionalProperties: false });
export type ListRowsParams = Type.Static<typeof ListRowsParams>;

export const ListRowsQuery = Type.Object({ "page": Type.Optional(Type.Integer({ minimum: 0, maximum: 2147483647 })), "limit": Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })), "$total": Type.Optional(Type.Boolean()), "$select": Type.Optional(Type.String({ maxLength: 8192 })), "$orderby": Type.Optional(Type.String({ maxLength: 1024 })), "$after": Type.Optional(Type.String({ maxLength: 8192 })), "$apply": Type.Optional(Type.String({ maxLength: 8192 })), "$filter": Type.Optional(Type.String({ maxLength: 8192 })), "$safe": Type.Optional(Type.Boolean()) }, { additionalProperties: Type.String() });
export type ListRowsQuery = Type.Static<typeof ListRowsQuery>;

export const InsertRowsParams = Type.Object({ "tenantId": Type.Integer({ minimum: 1, maximum: 9007199254740991 }), "table": Type.String() }, { additionalProperties: false });
export type InsertRowsParams = Type.Static<typeof InsertRowsParams>;

export const InsertRowsQuery = Type.Object({ "$dry_run": Type.Optional(Type.Boolean()), "$decimal": Type.Optional(Type.Enum(["point","comma"])), "$skip": Type.Optional(Type.String({ maxLength: 10000 })) }, { additionalProperties: false });
export type InsertRowsQuery = Type.Static<typeof InsertRowsQuery>;

export const InsertRowsHeaders = Type.Object({ "idempotency-key": Type.Optional(Type.String({ maxLength: 255, pattern: "^[\\x21-\\x7E]+$" })), "prefer": Type.Optional(Type.String({ maxLength: 1000 })) }, { additionalProperties: Type.Unknown() });
export type InsertRowsHeaders = Type.Static<typeof InsertRowsHeaders>;

export const UpdateRowsParams = Type.Object({ "tenantId": Type.Integer({ minimum: 1, maximum: 9007199254740991 }), "table": Type.String() }, { additionalProperties: false });
export type UpdateRowsParams = Type.Static<typeof UpdateRowsParams>;

export const UpdateRowsQuery = Type.Object({  }, { additionalProperties: false });
export type UpdateRowsQuery = Type.Static<typeof UpdateRowsQuery>;

export const UpdateRowsHeaders = Type.Object({ "idempotency-key": Type.Optional(Type.String({ maxLength: 255, pattern: "^[\\x21-\\x7E]+$" })), "prefer": Type.Optional(Type.String({ maxLength: 1000 })), "if-match": Type.Optional(Type.String({ maxLength: 4000 })) }, { additionalProperties: Type.Unknown() });
export type UpdateRowsHeaders = Type.Static<typeof UpdateRowsHeaders>;

export const DeleteRowsParams = Type.Object({ "tenantId": Type.Integer({ minimum: 1, maximum: 9007199254740991 }), "table": Type.String() }, { additionalProperties: false });
export type DeleteRowsParams = Type.Static<typeof DeleteRowsParams>;

export const DeleteRowsQuery = Type.Object({  }, { additionalProperties: false });
export type DeleteRowsQuery = Type.Static<typeof DeleteRowsQuery>;

export const DeleteRowsHeaders = Type.Object({ "idempotency-key": Type.Optional(Type.String({ maxLength: 255, pattern: "^[\\x21-\\x7E]+$" })), "prefer": Type.Optional(Type.String({ maxLength: 1000 })), "if-match": Type.Optional(Type.String({ maxLength: 4000 })) }, { additionalProperties: Type.Unknown() });
export type DeleteRowsHeaders = Type.Static<typeof DeleteRowsHeaders>;

export const GetRowParams = Type.Object({ "tenantId": Type.Integer({ minimum: 1, maximum: 9007199254740991 }), "table": Type.String(), "id": Type.String({ pattern: "^-?[0-9]{1,19}$" }) }, { additionalProperties: false });
export type GetRowParams = Type.Static<typeof GetRowParams>;

export const GetRowQuery = Type.Object({  }, { additionalProperties: false });
export type GetRowQuery = Type.Static<typeof GetRowQuery>;

export const UpdateRowParams = Type.Object({ "tenantId": Type.Integer({ minimum: 1, maximum: 9007199254740991 }), "table": Type.String(), "id": Type.String({ pattern: "^-?[0-9]{1,19}$" }) }, { additionalProperties: false });
export type UpdateRowParams = Type.Static<typeof UpdateRowParams>;

export const UpdateRowQuery = Type.Object({  }, { additionalProperties: false });
export type UpdateRowQuery = Type.Static<typeof UpdateRowQuery>;

export const UpdateRowHeaders = Type.Object({ "idempotency-key": Type.Optional(Type.String({ maxLength: 255, pattern: "^[\\x21-\\x7E]+$" })), "prefer": Type.Optional(Type.String({ maxLength: 1000 })), "if-match": Type.Optional(Type.String({ maxLength: 4000 })) }, { additionalProperties: Type.Unknown() });
export type UpdateRowHeaders = Type.Static<typeof UpdateRowHeaders>;

export const DeleteRowParams = Type.Object({ "tenantId": Type.Integer({ minimum: 1, maximum: 9007199254740991 }), "table": Type.String(), "id": Type.String({ pattern: "^-?[0-9]{1,19}$" }) }, { additionalProperties: false });
export type DeleteRowParams = Type.Static<typeof DeleteRowParams>;

export const DeleteRowQuery = Type.Object({  }, { additionalProperties: false });
export type DeleteRowQuery = Type.Static<typeof DeleteRowQuery>;

export const DeleteRowHeaders = Type.Object({ "idempotency-key": Type.Optional(Type.String({ maxLength: 255, pattern: "^[\\x21-\\x7E]+$" })), "prefer": Type.Optional(Type.String({ maxLength: 1000 })), "if-match": Type.Optional(Type.String({ maxLength: 4000 })) }, { additionalProperties: Type.Unknown() });
export type DeleteRowHeaders = Type.Static<typeof DeleteRowHeaders>;

export const ListAuditRecordsParams = Type.Object({ "tenantId": Type.Integer({ minimum: 1, maximum: 9007199254740991 }) }, { additionalProperties: false });
export type ListAuditRecordsParams = Type.Static<typeof ListAuditRecordsParams>;

export const ListAuditRecordsQuery = Type.Object({ "table": Type.Optional(Type.String({ maxLength: 200, pattern: "^[^\\x00]*$" })), "actor": Type.Optional(Type.String({ maxLength: 255, pattern: "^[^\\x00]*$" })), "action": Type.Optional(Type.String({ maxLength: 100, pattern: "^[^\\x00]*$" })), "outcome": Type.Optional(Type.Enum(["success","failure"])), "from": Type.Optional(Type.String({ format: "date-time", maxLength: 40 })), "to": Type.Optional(Type.String({ format: "date-time", maxLength: 40 })), "$after": Type.Optional(Type.String({ maxLength: 200 })), "limit": Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })), "$safe": Type.Optional(Type.Boolean()) }, { additionalProperties: false });
export type ListAuditRecordsQuery = Type.Static<typeof ListAuditRecordsQuery>;

export const ListCheckpointsParams = Type.Object({ "tenantId": Type.Integer({ minimum: 1, maximum: 9007199254740991 }) }, { additionalProperties: false });
export type ListCheckpointsParams = Type.Static<typeof ListCheckpointsParams>;

export const ListCheckpointsQuery = Type.Object({ "$after": Type.Optional(Type.String({ pattern: "^[0-9]{1,18}$", maxLength: 18 })), "limit": Type.Optional(Type.Integer({ minimum: 1, maximum: 50 })) }, { additionalProperties: false });
export type ListCheckpointsQuery = Type.Static<typeof ListCheckpointsQuery>;

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

export const ListEmbedsParams = Type.Object({  }, { additionalProperties: false });
export type ListEmbedsParams = Type.Static<typeof ListEmbedsParams>;

export const ListEmbedsQuery = Type.Object({ "process_key": Type.Optional(Type.String({ minLength: 1, maxLength: 255, pattern: "^[^\\x00]*$" })), "page": Type.Optional(Type.Integer({ minimum: 0, maximum: 1000000 })), "limit": Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })) }, { additionalProperties: false });
export type ListEmbedsQuery = Type.Static<typeof ListEmbedsQuery>;

export const ListEmbedsHeaders = Type.Object({ "x-active-tenant": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: Type.Unknown() });
export type ListEmbedsHeaders = Type.Static<typeof ListEmbedsHeaders>;

export const CreateEmbedParams = Type.Object({  }, { additionalProperties: false });
export type CreateEmbedParams = Type.Static<typeof CreateEmbedParams>;

export const CreateEmbedQuery = Type.Object({  }, { additionalProperties: false });
export type CreateEmbedQuery = Type.Static<typeof CreateEmbedQuery>;

export const CreateEmbedHeaders = Type.Object({ "x-active-tenant": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: Type.Unknown() });
export type CreateEmbedHeaders = Type.Static<typeof CreateEmbedHeaders>;

export const DeleteEmbedParams = Type.Object({ "embed_id": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: false });
export type DeleteEmbedParams = Type.Static<typeof DeleteEmbedParams>;

export const DeleteEmbedQuery = Type.Object({  }, { additionalProperties: false });
export type DeleteEmbedQuery = Type.Static<typeof DeleteEmbedQuery>;

export const DeleteEmbedHeaders = Type.Object({ "x-active-tenant": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: Type.Unknown() });
export type DeleteEmbedHeaders = Type.Static<typeof DeleteEmbedHeaders>;

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

export const ListMessagesParams = Type.Object({ "process_instance_id": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: false });
export type ListMessagesParams = Type.Static<typeof ListMessagesParams>;

export const ListMessagesQuery = Type.Object({ "page": Type.Optional(Type.Integer({ minimum: 0, maximum: 1000000 })), "limit": Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })) }, { additionalProperties: false });
export type ListMessagesQuery = Type.Static<typeof ListMessagesQuery>;

export const ListMessagesHeaders = Type.Object({ "x-active-tenant": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: Type.Unknown() });
export type ListMessagesHeaders = Type.Static<typeof ListMessagesHeaders>;

export const PostMessageParams = Type.Object({ "process_instance_id": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: false });
export type PostMessageParams = Type.Static<typeof PostMessageParams>;

export const PostMessageQuery = Type.Object({  }, { additionalProperties: false });
export type PostMessageQuery = Type.Static<typeof PostMessageQuery>;

export const PostMessageHeaders = Type.Object({ "x-active-tenant": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: Type.Unknown() });
export type PostMessageHeaders = Type.Static<typeof PostMessageHeaders>;

export const DownloadMessageAttachmentParams = Type.Object({ "process_instance_id": Type.String({ minLength: 1, maxLength: 255 }), "message_id": Type.String({ minLength: 1, maxLength: 255 }), "attachment_id": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: false });
export type DownloadMessageAttachmentParams = Type.Static<typeof DownloadMessageAttachmentParams>;

export const DownloadMessageAttachmentQuery = Type.Object({  }, { additionalProperties: false });
export type DownloadMessageAttachmentQuery = Type.Static<typeof DownloadMessageAttachmentQuery>;

export const DownloadMessageAttachmentHeaders = Type.Object({ "x-active-tenant": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: Type.Unknown() });
export type DownloadMessageAttachmentHeaders = Type.Static<typeof DownloadMessageAttachmentHeaders>;

export const GetStartFormParams = Type.Object({  }, { additionalProperties: false });
export type GetStartFormParams = Type.Static<typeof GetStartFormParams>;

export const GetStartFormQuery = Type.Object({  }, { additionalProperties: false });
export type GetStartFormQuery = Type.Static<typeof GetStartFormQuery>;

export const StartPublicProcessParams = Type.Object({  }, { additionalProperties: false });
export type StartPublicProcessParams = Type.Static<typeof StartPublicProcessParams>;

export const StartPublicProcessQuery = Type.Object({  }, { additionalProperties: false });
export type StartPublicProcessQuery = Type.Static<typeof StartPublicProcessQuery>;

export const ListProcessDefinitionsParams = Type.Object({  }, { additionalProperties: false });
export type ListProcessDefinitionsParams = Type.Static<typeof ListProcessDefinitionsParams>;

export const ListProcessDefinitionsQuery = Type.Object({  }, { additionalProperties: false });
export type ListProcessDefinitionsQuery = Type.Static<typeof ListProcessDefinitionsQuery>;

export const ListProcessDefinitionsHeaders = Type.Object({ "x-active-tenant": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: Type.Unknown() });
export type ListProcessDefinitionsHeaders = Type.Static<typeof ListProcessDefinitionsHeaders>;

export const DeployProcessParams = Type.Object({  }, { additionalProperties: false });
export type DeployProcessParams = Type.Static<typeof DeployProcessParams>;

export const DeployProcessQuery = Type.Object({  }, { additionalProperties: false });
export type DeployProcessQuery = Type.Static<typeof DeployProcessQuery>;

export const DeployProcessHeaders = Type.Object({ "x-active-tenant": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: Type.Unknown() });
export type DeployProcessHeaders = Type.Static<typeof DeployProcessHeaders>;

export const DryRunProcessParams = Type.Object({  }, { additionalProperties: false });
export type DryRunProcessParams = Type.Static<typeof DryRunProcessParams>;

export const DryRunProcessQuery = Type.Object({  }, { additionalProperties: false });
export type DryRunProcessQuery = Type.Static<typeof DryRunProcessQuery>;

export const DryRunProcessHeaders = Type.Object({ "x-active-tenant": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: Type.Unknown() });
export type DryRunProcessHeaders = Type.Static<typeof DryRunProcessHeaders>;

export const GetProcessDefinitionParams = Type.Object({ "process_key": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: false });
export type GetProcessDefinitionParams = Type.Static<typeof GetProcessDefinitionParams>;

export const GetProcessDefinitionQuery = Type.Object({  }, { additionalProperties: false });
export type GetProcessDefinitionQuery = Type.Static<typeof GetProcessDefinitionQuery>;

export const GetProcessDefinitionHeaders = Type.Object({ "x-active-tenant": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: Type.Unknown() });
export type GetProcessDefinitionHeaders = Type.Static<typeof GetProcessDefinitionHeaders>;

export const ListProcessVersionsParams = Type.Object({ "process_key": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: false });
export type ListProcessVersionsParams = Type.Static<typeof ListProcessVersionsParams>;

export const ListProcessVersionsQuery = Type.Object({ "page": Type.Optional(Type.Integer({ minimum: 0, maximum: 1000000 })), "limit": Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })) }, { additionalProperties: false });
export type ListProcessVersionsQuery = Type.Static<typeof ListProcessVersionsQuery>;

export const ListProcessVersionsHeaders = Type.Object({ "x-active-tenant": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: Type.Unknown() });
export type ListProcessVersionsHeaders = Type.Static<typeof ListProcessVersionsHeaders>;

export const GetProcessVersionParams = Type.Object({ "process_key": Type.String({ minLength: 1, maxLength: 255 }), "version": Type.Integer({ minimum: 1, maximum: 2147483647 }) }, { additionalProperties: false });
export type GetProcessVersionParams = Type.Static<typeof GetProcessVersionParams>;

export const GetProcessVersionQuery = Type.Object({  }, { additionalProperties: false });
export type GetProcessVersionQuery = Type.Static<typeof GetProcessVersionQuery>;

export const GetProcessVersionHeaders = Type.Object({ "x-active-tenant": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: Type.Unknown() });
export type GetProcessVersionHeaders = Type.Static<typeof GetProcessVersionHeaders>;

export const ListProcessInstancesParams = Type.Object({  }, { additionalProperties: false });
export type ListProcessInstancesParams = Type.Static<typeof ListProcessInstancesParams>;

export const ListProcessInstancesQuery = Type.Object({ "process_key": Type.Optional(Type.String({ minLength: 1, maxLength: 255, pattern: "^[^\\x00]*$" })), "state": Type.Optional(Type.Enum(["active","incident","completed","terminated"])), "business_key": Type.Optional(Type.String({ minLength: 1, maxLength: 255, pattern: "^[^\\x00]*$" })), "page": Type.Optional(Type.Integer({ minimum: 0, maximum: 1000000 })), "limit": Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })) }, { additionalProperties: false });
export type ListProcessInstancesQuery = Type.Static<typeof ListProcessInstancesQuery>;

export const ListProcessInstancesHeaders = Type.Object({ "x-active-tenant": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: Type.Unknown() });
export type ListProcessInstancesHeaders = Type.Static<typeof ListProcessInstancesHeaders>;

export const StartProcessInstanceParams = Type.Object({  }, { additionalProperties: false });
export type StartProcessInstanceParams = Type.Static<typeof StartProcessInstanceParams>;

export const StartProcessInstanceQuery = Type.Object({  }, { additionalProperties: false });
export type StartProcessInstanceQuery = Type.Static<typeof StartProcessInstanceQuery>;

export const StartProcessInstanceHeaders = Type.Object({ "idempotency-key": Type.Optional(Type.String({ maxLength: 255, pattern: "^[\\x21-\\x7E]+$" })), "x-active-tenant": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: Type.Unknown() });
export type StartProcessInstanceHeaders = Type.Static<typeof StartProcessInstanceHeaders>;

export const GetProcessInstanceParams = Type.Object({ "process_instance_id": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: false });
export type GetProcessInstanceParams = Type.Static<typeof GetProcessInstanceParams>;

export const GetProcessInstanceQuery = Type.Object({  }, { additionalProperties: false });
export type GetProcessInstanceQuery = Type.Static<typeof GetProcessInstanceQuery>;

export const GetProcessInstanceHeaders = Type.Object({ "x-active-tenant": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: Type.Unknown() });
export type GetProcessInstanceHeaders = Type.Static<typeof GetProcessInstanceHeaders>;

export const TerminateProcessInstanceParams = Type.Object({ "process_instance_id": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: false });
export type TerminateProcessInstanceParams = Type.Static<typeof TerminateProcessInstanceParams>;

export const TerminateProcessInstanceQuery = Type.Object({  }, { additionalProperties: false });
export type TerminateProcessInstanceQuery = Type.Static<typeof TerminateProcessInstanceQuery>;

export const TerminateProcessInstanceHeaders = Type.Object({ "x-active-tenant": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: Type.Unknown() });
export type TerminateProcessInstanceHeaders = Type.Static<typeof TerminateProcessInstanceHeaders>;

export const GetProcessVariablesParams = Type.Object({ "process_instance_id": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: false });
export type GetProcessVariablesParams = Type.Static<typeof GetProcessVariablesParams>;

export const GetProcessVariablesQuery = Type.Object({  }, { additionalProperties: false });
export type GetProcessVariablesQuery = Type.Static<typeof GetProcessVariablesQuery>;

export const GetProcessVariablesHeaders = Type.Object({ "x-active-tenant": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: Type.Unknown() });
export type GetProcessVariablesHeaders = Type.Static<typeof GetProcessVariablesHeaders>;

export const SetProcessVariablesParams = Type.Object({ "process_instance_id": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: false });
export type SetProcessVariablesParams = Type.Static<typeof SetProcessVariablesParams>;

export const SetProcessVariablesQuery = Type.Object({  }, { additionalProperties: false });
export type SetProcessVariablesQuery = Type.Static<typeof SetProcessVariablesQuery>;

export const SetProcessVariablesHeaders = Type.Object({ "x-active-tenant": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: Type.Unknown() });
export type SetProcessVariablesHeaders = Type.Static<typeof SetProcessVariablesHeaders>;

export const ListIncidentsParams = Type.Object({  }, { additionalProperties: false });
export type ListIncidentsParams = Type.Static<typeof ListIncidentsParams>;

export const ListIncidentsQuery = Type.Object({ "process_instance_id": Type.Optional(Type.String({ minLength: 1, maxLength: 255 })), "resolved": Type.Optional(Type.Boolean()), "page": Type.Optional(Type.Integer({ minimum: 0, maximum: 1000000 })), "limit": Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })) }, { additionalProperties: false });
export type ListIncidentsQuery = Type.Static<typeof ListIncidentsQuery>;

export const ListIncidentsHeaders = Type.Object({ "x-active-tenant": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: Type.Unknown() });
export type ListIncidentsHeaders = Type.Static<typeof ListIncidentsHeaders>;

export const RerunIncidentParams = Type.Object({ "incident_id": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: false });
export type RerunIncidentParams = Type.Static<typeof RerunIncidentParams>;

export const RerunIncidentQuery = Type.Object({  }, { additionalProperties: false });
export type RerunIncidentQuery = Type.Static<typeof RerunIncidentQuery>;

export const RerunIncidentHeaders = Type.Object({ "x-active-tenant": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: Type.Unknown() });
export type RerunIncidentHeaders = Type.Static<typeof RerunIncidentHeaders>;

export const ListTasksParams = Type.Object({  }, { additionalProperties: false });
export type ListTasksParams = Type.Static<typeof ListTasksParams>;

export const ListTasksQuery = Type.Object({ "process_instance_id": Type.Optional(Type.String({ minLength: 1, maxLength: 255 })), "process_key": Type.Optional(Type.String({ minLength: 1, maxLength: 255, pattern: "^[^\\x00]*$" })), "assignee": Type.Optional(Type.String({ minLength: 1, maxLength: 255, pattern: "^[^\\x00]*$" })), "candidate_group": Type.Optional(Type.String({ minLength: 1, maxLength: 255, pattern: "^[^\\x00]*$" })), "unassigned": Type.Optional(Type.Boolean()), "page": Type.Optional(Type.Integer({ minimum: 0, maximum: 1000000 })), "limit": Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })) }, { additionalProperties: false });
export type ListTasksQuery = Type.Static<typeof ListTasksQuery>;

export const ListTasksHeaders = Type.Object({ "x-active-tenant": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: Type.Unknown() });
export type ListTasksHeaders = Type.Static<typeof ListTasksHeaders>;

export const GetTaskParams = Type.Object({ "task_id": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: false });
export type GetTaskParams = Type.Static<typeof GetTaskParams>;

export const GetTaskQuery = Type.Object({  }, { additionalProperties: false });
export type GetTaskQuery = Type.Static<typeof GetTaskQuery>;

export const GetTaskHeaders = Type.Object({ "x-active-tenant": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: Type.Unknown() });
export type GetTaskHeaders = Type.Static<typeof GetTaskHeaders>;

export const GetTaskVariablesParams = Type.Object({ "task_id": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: false });
export type GetTaskVariablesParams = Type.Static<typeof GetTaskVariablesParams>;

export const GetTaskVariablesQuery = Type.Object({  }, { additionalProperties: false });
export type GetTaskVariablesQuery = Type.Static<typeof GetTaskVariablesQuery>;

export const GetTaskVariablesHeaders = Type.Object({ "x-active-tenant": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: Type.Unknown() });
export type GetTaskVariablesHeaders = Type.Static<typeof GetTaskVariablesHeaders>;

export const GetTaskFormParams = Type.Object({ "task_id": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: false });
export type GetTaskFormParams = Type.Static<typeof GetTaskFormParams>;

export const GetTaskFormQuery = Type.Object({  }, { additionalProperties: false });
export type GetTaskFormQuery = Type.Static<typeof GetTaskFormQuery>;

export const GetTaskFormHeaders = Type.Object({ "x-active-tenant": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: Type.Unknown() });
export type GetTaskFormHeaders = Type.Static<typeof GetTaskFormHeaders>;

export const ClaimTaskParams = Type.Object({ "task_id": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: false });
export type ClaimTaskParams = Type.Static<typeof ClaimTaskParams>;

export const ClaimTaskQuery = Type.Object({  }, { additionalProperties: false });
export type ClaimTaskQuery = Type.Static<typeof ClaimTaskQuery>;

export const ClaimTaskHeaders = Type.Object({ "x-active-tenant": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: Type.Unknown() });
export type ClaimTaskHeaders = Type.Static<typeof ClaimTaskHeaders>;

export const UnclaimTaskParams = Type.Object({ "task_id": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: false });
export type UnclaimTaskParams = Type.Static<typeof UnclaimTaskParams>;

export const UnclaimTaskQuery = Type.Object({  }, { additionalProperties: false });
export type UnclaimTaskQuery = Type.Static<typeof UnclaimTaskQuery>;

export const UnclaimTaskHeaders = Type.Object({ "x-active-tenant": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: Type.Unknown() });
export type UnclaimTaskHeaders = Type.Static<typeof UnclaimTaskHeaders>;

export const AssignTaskParams = Type.Object({ "task_id": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: false });
export type AssignTaskParams = Type.Static<typeof AssignTaskParams>;

export const AssignTaskQuery = Type.Object({  }, { additionalProperties: false });
export type AssignTaskQuery = Type.Static<typeof AssignTaskQuery>;

export const AssignTaskHeaders = Type.Object({ "x-active-tenant": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: Type.Unknown() });
export type AssignTaskHeaders = Type.Static<typeof AssignTaskHeaders>;

export const CompleteTaskParams = Type.Object({ "task_id": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: false });
export type CompleteTaskParams = Type.Static<typeof CompleteTaskParams>;

export const CompleteTaskQuery = Type.Object({  }, { additionalProperties: false });
export type CompleteTaskQuery = Type.Static<typeof CompleteTaskQuery>;

export const CompleteTaskHeaders = Type.Object({ "idempotency-key": Type.Optional(Type.String({ maxLength: 255, pattern: "^[\\x21-\\x7E]+$" })), "x-active-tenant": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: Type.Unknown() });
export type CompleteTaskHeaders = Type.Static<typeof CompleteTaskHeaders>;

export const DownloadTaskFileParams = Type.Object({ "processKey": Type.String({ minLength: 1, maxLength: 255 }), "processInstanceId": Type.String({ minLength: 1, maxLength: 255 }), "variableName": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: false });
export type DownloadTaskFileParams = Type.Static<typeof DownloadTaskFileParams>;

export const DownloadTaskFileQuery = Type.Object({  }, { additionalProperties: false });
export type DownloadTaskFileQuery = Type.Static<typeof DownloadTaskFileQuery>;

export const DownloadTaskFileHeaders = Type.Object({ "x-active-tenant": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: Type.Unknown() });
export type DownloadTaskFileHeaders = Type.Static<typeof DownloadTaskFileHeaders>;

export const ListReportInstancesParams = Type.Object({ "tenantId": Type.Integer({ minimum: 1, maximum: 9007199254740991 }), "processDefinitionKey": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: false });
export type ListReportInstancesParams = Type.Static<typeof ListReportInstancesParams>;

export const ListReportInstancesQuery = Type.Object({ "page": Type.Optional(Type.Integer({ minimum: 0, maximum: 1000000 })), "limit": Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })) }, { additionalProperties: false });
export type ListReportInstancesQuery = Type.Static<typeof ListReportInstancesQuery>;

export const ListAddonsParams = Type.Object({  }, { additionalProperties: false });
export type ListAddonsParams = Type.Static<typeof ListAddonsParams>;

export const ListAddonsQuery = Type.Object({  }, { additionalProperties: false });
export type ListAddonsQuery = Type.Static<typeof ListAddonsQuery>;

export const ListAddonsHeaders = Type.Object({ "x-active-tenant": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: Type.Unknown() });
export type ListAddonsHeaders = Type.Static<typeof ListAddonsHeaders>;

export const PutAddonParams = Type.Object({ "key": Type.String({ pattern: "^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$" }) }, { additionalProperties: false });
export type PutAddonParams = Type.Static<typeof PutAddonParams>;

export const PutAddonQuery = Type.Object({  }, { additionalProperties: false });
export type PutAddonQuery = Type.Static<typeof PutAddonQuery>;

export const PutAddonHeaders = Type.Object({ "x-active-tenant": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: Type.Unknown() });
export type PutAddonHeaders = Type.Static<typeof PutAddonHeaders>;

export const DeleteAddonParams = Type.Object({ "key": Type.String({ pattern: "^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$" }) }, { additionalProperties: false });
export type DeleteAddonParams = Type.Static<typeof DeleteAddonParams>;

export const DeleteAddonQuery = Type.Object({  }, { additionalProperties: false });
export type DeleteAddonQuery = Type.Static<typeof DeleteAddonQuery>;

export const DeleteAddonHeaders = Type.Object({ "x-active-tenant": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: Type.Unknown() });
export type DeleteAddonHeaders = Type.Static<typeof DeleteAddonHeaders>;

export const ListSecretsParams = Type.Object({  }, { additionalProperties: false });
export type ListSecretsParams = Type.Static<typeof ListSecretsParams>;

export const ListSecretsQuery = Type.Object({  }, { additionalProperties: false });
export type ListSecretsQuery = Type.Static<typeof ListSecretsQuery>;

export const ListSecretsHeaders = Type.Object({ "x-active-tenant": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: Type.Unknown() });
export type ListSecretsHeaders = Type.Static<typeof ListSecretsHeaders>;

export const PutSecretParams = Type.Object({ "name": Type.String({ pattern: "^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$" }) }, { additionalProperties: false });
export type PutSecretParams = Type.Static<typeof PutSecretParams>;

export const PutSecretQuery = Type.Object({  }, { additionalProperties: false });
export type PutSecretQuery = Type.Static<typeof PutSecretQuery>;

export const PutSecretHeaders = Type.Object({ "x-active-tenant": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: Type.Unknown() });
export type PutSecretHeaders = Type.Static<typeof PutSecretHeaders>;

export const DeleteSecretParams = Type.Object({ "name": Type.String({ pattern: "^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$" }) }, { additionalProperties: false });
export type DeleteSecretParams = Type.Static<typeof DeleteSecretParams>;

export const DeleteSecretQuery = Type.Object({  }, { additionalProperties: false });
export type DeleteSecretQuery = Type.Static<typeof DeleteSecretQuery>;

export const DeleteSecretHeaders = Type.Object({ "x-active-tenant": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: Type.Unknown() });
export type DeleteSecretHeaders = Type.Static<typeof DeleteSecretHeaders>;

export const UploadFileParams = Type.Object({  }, { additionalProperties: false });
export type UploadFileParams = Type.Static<typeof UploadFileParams>;

export const UploadFileQuery = Type.Object({  }, { additionalProperties: false });
export type UploadFileQuery = Type.Static<typeof UploadFileQuery>;

export const UploadFileHeaders = Type.Object({ "x-active-tenant": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: Type.Unknown() });
export type UploadFileHeaders = Type.Static<typeof UploadFileHeaders>;

export const DownloadFileParams = Type.Object({ "file_id": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: false });
export type DownloadFileParams = Type.Static<typeof DownloadFileParams>;

export const DownloadFileQuery = Type.Object({  }, { additionalProperties: false });
export type DownloadFileQuery = Type.Static<typeof DownloadFileQuery>;

export const DownloadFileHeaders = Type.Object({ "x-active-tenant": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: Type.Unknown() });
export type DownloadFileHeaders = Type.Static<typeof DownloadFileHeaders>;

export const RevokeTokenParams = Type.Object({  }, { additionalProperties: false });
export type RevokeTokenParams = Type.Static<typeof RevokeTokenParams>;

export const RevokeTokenQuery = Type.Object({  }, { additionalProperties: false });
export type RevokeTokenQuery = Type.Static<typeof RevokeTokenQuery>;

export const RevokeTokenHeaders = Type.Object({ "x-active-tenant": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: Type.Unknown() });
export type RevokeTokenHeaders = Type.Static<typeof RevokeTokenHeaders>;

export const GetStartFormPageParams = Type.Object({ "embed_id": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: false });
export type GetStartFormPageParams = Type.Static<typeof GetStartFormPageParams>;

export const GetStartFormPageQuery = Type.Object({  }, { additionalProperties: false });
export type GetStartFormPageQuery = Type.Static<typeof GetStartFormPageQuery>;

export const GetStartFormAssetParams = Type.Object({ "name": Type.String({ minLength: 1, maxLength: 255 }) }, { additionalProperties: false });
export type GetStartFormAssetParams = Type.Static<typeof GetStartFormAssetParams>;

export const GetStartFormAssetQuery = Type.Object({  }, { additionalProperties: false });
export type GetStartFormAssetQuery = Type.Static<typeof GetStartFormAssetQuery>;

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
