/* tslint:disable */
/* eslint-disable */
/**
 * 
 * @export
 * @interface Addon
 */
export interface Addon {
    /**
     * 
     * @type {string}
     * @memberof Addon
     */
    key: string;
    /**
     * 
     * @type {string}
     * @memberof Addon
     */
    url: string;
    /**
     * 
     * @type {string}
     * @memberof Addon
     */
    updated_by: string;
    /**
     * 
     * @type {string}
     * @memberof Addon
     */
    updated_at: string;
}
/**
 * 
 * @export
 * @interface Addons
 */
export interface Addons {
    /**
     * 
     * @type {Array<Addon>}
     * @memberof Addons
     */
    addons: Array<Addon>;
}
/**
 * 
 * @export
 * @interface AffectedRowsAnswer
 */
export interface AffectedRowsAnswer {
    /**
     * 
     * @type {AffectedRowsAnswerSuccessEnum}
     * @memberof AffectedRowsAnswer
     */
    success: AffectedRowsAnswerSuccessEnum;
    /**
     * 
     * @type {string}
     * @memberof AffectedRowsAnswer
     */
    message: string;
    /**
     * 
     * @type {AffectedRowsAnswerData}
     * @memberof AffectedRowsAnswer
     */
    data: AffectedRowsAnswerData;
}


/**
 * @export
 */
export const AffectedRowsAnswerSuccessEnum = {
    true: true
} as const;
export type AffectedRowsAnswerSuccessEnum = typeof AffectedRowsAnswerSuccessEnum[keyof typeof AffectedRowsAnswerSuccessEnum];

/**
 * 
 * @export
 * @interface AffectedRowsAnswerData
 */
export interface AffectedRowsAnswerData {
    /**
     * 
     * @type {number}
     * @memberof AffectedRowsAnswerData
     */
    affected_rows: number;
    /**
     * How many rows were inserted and not updated. Only if the request has `on_conflict`.
     * @type {number}
     * @memberof AffectedRowsAnswerData
     */
    inserted_rows?: number;
    /**
     * The ids of the inserted rows, in the order of the request, if it has at most 1,000 rows. With `on_conflict`,
     * of the inserted and updated rows. Absent for `Prefer: return=minimal`.
     * 
     * @type {Array<string>}
     * @memberof AffectedRowsAnswerData
     */
    ids?: Array<string>;
    /**
     * For `Prefer: return=representation`. An insert answers the rows in the order of the request, an update as
     * they are now and a delete as they were, in `id` order.
     * 
     * @type {Array<Row>}
     * @memberof AffectedRowsAnswerData
     */
    rows?: Array<Row>;
}
/**
 * 
 * @export
 * @interface AllowedTypes
 */
export interface AllowedTypes {
    /**
     * 
     * @type {Array<string>}
     * @memberof AllowedTypes
     */
    extensions: Array<string>;
    /**
     * The size limit of a file, in units of 1,048,576 bytes.
     * @type {number}
     * @memberof AllowedTypes
     */
    max_size_mb: number;
}
/**
 * 
 * @export
 * @interface AlterationAnswer
 */
export interface AlterationAnswer {
    /**
     * 
     * @type {AlterationAnswerSuccessEnum}
     * @memberof AlterationAnswer
     */
    success: AlterationAnswerSuccessEnum;
    /**
     * 
     * @type {string}
     * @memberof AlterationAnswer
     */
    message: string;
    /**
     * 
     * @type {AlterationAnswerData}
     * @memberof AlterationAnswer
     */
    data: AlterationAnswerData;
}


/**
 * @export
 */
export const AlterationAnswerSuccessEnum = {
    true: true
} as const;
export type AlterationAnswerSuccessEnum = typeof AlterationAnswerSuccessEnum[keyof typeof AlterationAnswerSuccessEnum];

/**
 * 
 * @export
 * @interface AlterationAnswerData
 */
export interface AlterationAnswerData {
    /**
     * 
     * @type {TableRecord}
     * @memberof AlterationAnswerData
     */
    table: TableRecord;
    /**
     * 
     * @type {AlterationPlan}
     * @memberof AlterationAnswerData
     */
    plan: AlterationPlan;
}
/**
 * 
 * @export
 * @interface AlterationFailure
 */
export interface AlterationFailure {
    /**
     * 
     * @type {string}
     * @memberof AlterationFailure
     */
    pointer: string;
    /**
     * 
     * @type {string}
     * @memberof AlterationFailure
     */
    what: string;
    /**
     * How many rows are in the way.
     * @type {number}
     * @memberof AlterationFailure
     */
    rows: number;
    /**
     * The first of these rows, by `id`.
     * @type {Array<string>}
     * @memberof AlterationFailure
     */
    row_ids: Array<string>;
}
/**
 * 
 * @export
 * @interface AlterationLoss
 */
export interface AlterationLoss {
    /**
     * 
     * @type {string}
     * @memberof AlterationLoss
     */
    pointer: string;
    /**
     * 
     * @type {string}
     * @memberof AlterationLoss
     */
    what: string;
    /**
     * In how many rows.
     * @type {number}
     * @memberof AlterationLoss
     */
    rows: number;
    /**
     * Absent if the values are lost for good.
     * @type {string}
     * @memberof AlterationLoss
     */
    restorable_until?: string;
}
/**
 * What the change does, or would do. Times are estimated from the table's size.
 * @export
 * @interface AlterationPlan
 */
export interface AlterationPlan {
    /**
     * How many rows the table has. Above a million, PostgreSQL's estimate.
     * @type {number}
     * @memberof AlterationPlan
     */
    rows: number;
    /**
     * Whether PostgreSQL writes every row again.
     * @type {boolean}
     * @memberof AlterationPlan
     */
    rewrites_table: boolean;
    /**
     * 
     * @type {AlterationWait}
     * @memberof AlterationPlan
     */
    waits: AlterationWait;
    /**
     * An estimate of how long they wait.
     * @type {number}
     * @memberof AlterationPlan
     */
    seconds: number;
    /**
     * Whether the change needs `confirm=true`, because it loses values or writes more than 100,000 rows again.
     * @type {boolean}
     * @memberof AlterationPlan
     */
    confirm_required: boolean;
    /**
     * What happens, in this order.
     * @type {Array<AlterationStep>}
     * @memberof AlterationPlan
     */
    steps: Array<AlterationStep>;
    /**
     * Values that disappear.
     * @type {Array<AlterationLoss>}
     * @memberof AlterationPlan
     */
    losses: Array<AlterationLoss>;
    /**
     * Why the change cannot be made. If there is one, the change without `$dry_run` answers 409.
     * @type {Array<AlterationFailure>}
     * @memberof AlterationPlan
     */
    failures: Array<AlterationFailure>;
}


/**
 * 
 * @export
 * @interface AlterationStep
 */
export interface AlterationStep {
    /**
     * JSON pointer to the part of the request that asks for it.
     * @type {string}
     * @memberof AlterationStep
     */
    pointer: string;
    /**
     * One plain sentence.
     * @type {string}
     * @memberof AlterationStep
     */
    what: string;
    /**
     * 
     * @type {boolean}
     * @memberof AlterationStep
     */
    rewrites_table: boolean;
    /**
     * 
     * @type {AlterationWait}
     * @memberof AlterationStep
     */
    waits: AlterationWait;
    /**
     * 
     * @type {number}
     * @memberof AlterationStep
     */
    seconds: number;
}



/**
 * Which requests for rows wait while the change is made.
 * @export
 */
export const AlterationWait = {
    nobody: 'nobody',
    writers: 'writers',
    everybody: 'everybody'
} as const;
export type AlterationWait = typeof AlterationWait[keyof typeof AlterationWait];

/**
 * What a process variable holds instead of the file.
 * @export
 * @interface AttachmentMetadata
 */
export interface AttachmentMetadata {
    /**
     * 
     * @type {string}
     * @memberof AttachmentMetadata
     */
    attachment_id: string;
    /**
     * The original file name.
     * @type {string}
     * @memberof AttachmentMetadata
     */
    file_name: string;
    /**
     * The media type that the server found in the bytes.
     * @type {string}
     * @memberof AttachmentMetadata
     */
    mime_type: string;
    /**
     * Bytes.
     * @type {number}
     * @memberof AttachmentMetadata
     */
    size: number;
    /**
     * 
     * @type {AttachmentMetadataTypeEnum}
     * @memberof AttachmentMetadata
     */
    type: AttachmentMetadataTypeEnum;
    /**
     * 
     * @type {string}
     * @memberof AttachmentMetadata
     */
    uploaded_at: string;
}


/**
 * @export
 */
export const AttachmentMetadataTypeEnum = {
    file_attachment: 'file_attachment'
} as const;
export type AttachmentMetadataTypeEnum = typeof AttachmentMetadataTypeEnum[keyof typeof AttachmentMetadataTypeEnum];

/**
 * 
 * @export
 * @interface AuditRecord
 */
export interface AuditRecord {
    /**
     * The number of the record in the tenant's trail.
     * @type {string}
     * @memberof AuditRecord
     */
    id: string;
    /**
     * 
     * @type {string}
     * @memberof AuditRecord
     */
    at: string;
    /**
     * The `sub` of the access token. Waybill itself is `waybill`.
     * @type {string}
     * @memberof AuditRecord
     */
    actor: string;
    /**
     * 
     * @type {string}
     * @memberof AuditRecord
     */
    action: string;
    /**
     * The table, for actions of the table builder.
     * @type {string}
     * @memberof AuditRecord
     */
    table_name: string | null;
    /**
     * What was done or attempted, for people to read. Long values are cut.
     * @type {string}
     * @memberof AuditRecord
     */
    statement: string;
    /**
     * 
     * @type {number}
     * @memberof AuditRecord
     */
    affected_rows: number | null;
    /**
     * 
     * @type {AuditRecordOutcomeEnum}
     * @memberof AuditRecord
     */
    outcome: AuditRecordOutcomeEnum;
    /**
     * Why it failed, with the code of the problem.
     * @type {string}
     * @memberof AuditRecord
     */
    error: string | null;
    /**
     * 
     * @type {string}
     * @memberof AuditRecord
     */
    request_id: string;
}


/**
 * @export
 */
export const AuditRecordOutcomeEnum = {
    success: 'success',
    failure: 'failure'
} as const;
export type AuditRecordOutcomeEnum = typeof AuditRecordOutcomeEnum[keyof typeof AuditRecordOutcomeEnum];

/**
 * 
 * @export
 * @interface AuditRecordsAnswer
 */
export interface AuditRecordsAnswer {
    /**
     * 
     * @type {AuditRecordsAnswerSuccessEnum}
     * @memberof AuditRecordsAnswer
     */
    success: AuditRecordsAnswerSuccessEnum;
    /**
     * 
     * @type {string}
     * @memberof AuditRecordsAnswer
     */
    message: string;
    /**
     * 
     * @type {AuditRecordsAnswerData}
     * @memberof AuditRecordsAnswer
     */
    data: AuditRecordsAnswerData;
}


/**
 * @export
 */
export const AuditRecordsAnswerSuccessEnum = {
    true: true
} as const;
export type AuditRecordsAnswerSuccessEnum = typeof AuditRecordsAnswerSuccessEnum[keyof typeof AuditRecordsAnswerSuccessEnum];

/**
 * 
 * @export
 * @interface AuditRecordsAnswerData
 */
export interface AuditRecordsAnswerData {
    /**
     * Newest first.
     * @type {Array<AuditRecord>}
     * @memberof AuditRecordsAnswerData
     */
    records: Array<AuditRecord>;
    /**
     * The cursor of the next page. Absent if there are no more records.
     * @type {string}
     * @memberof AuditRecordsAnswerData
     */
    next?: string;
}
/**
 * 
 * @export
 * @interface Binding
 */
export interface Binding {
    /**
     * 
     * @type {number}
     * @memberof Binding
     */
    tenant_id: number;
    /**
     * 
     * @type {string}
     * @memberof Binding
     */
    process_instance_id: string;
    /**
     * 
     * @type {string}
     * @memberof Binding
     */
    task_id?: string;
    /**
     * 
     * @type {Array<string>}
     * @memberof Binding
     */
    attachment_ids: Array<string>;
}
/**
 * 
 * @export
 * @interface Checkpoint
 */
export interface Checkpoint {
    /**
     * 
     * @type {string}
     * @memberof Checkpoint
     */
    number: string;
    /**
     * 
     * @type {string}
     * @memberof Checkpoint
     */
    at: string;
    /**
     * The checkpoint covers the records after this id.
     * @type {string}
     * @memberof Checkpoint
     */
    after_id: string;
    /**
     * The id of its last record.
     * @type {string}
     * @memberof Checkpoint
     */
    last_id: string;
    /**
     * How many records it covers.
     * @type {number}
     * @memberof Checkpoint
     */
    records: number;
    /**
     * The time of the newest of its records.
     * @type {string}
     * @memberof Checkpoint
     */
    newest_at: string;
    /**
     * The SHA-256 that proves this checkpoint and all before it, in hexadecimal digits.
     * @type {string}
     * @memberof Checkpoint
     */
    digest: string;
    /**
     * When its records were removed because of their age.
     * @type {string}
     * @memberof Checkpoint
     */
    purged_at: string | null;
    /**
     * 
     * @type {boolean}
     * @memberof Checkpoint
     */
    intact: boolean;
    /**
     * What is wrong, the first hundred.
     * @type {Array<TrailFault>}
     * @memberof Checkpoint
     */
    faults: Array<TrailFault>;
}
/**
 * 
 * @export
 * @interface CheckpointsAnswer
 */
export interface CheckpointsAnswer {
    /**
     * 
     * @type {CheckpointsAnswerSuccessEnum}
     * @memberof CheckpointsAnswer
     */
    success: CheckpointsAnswerSuccessEnum;
    /**
     * 
     * @type {string}
     * @memberof CheckpointsAnswer
     */
    message: string;
    /**
     * 
     * @type {CheckpointsAnswerData}
     * @memberof CheckpointsAnswer
     */
    data: CheckpointsAnswerData;
}


/**
 * @export
 */
export const CheckpointsAnswerSuccessEnum = {
    true: true
} as const;
export type CheckpointsAnswerSuccessEnum = typeof CheckpointsAnswerSuccessEnum[keyof typeof CheckpointsAnswerSuccessEnum];

/**
 * 
 * @export
 * @interface CheckpointsAnswerData
 */
export interface CheckpointsAnswerData {
    /**
     * 
     * @type {Array<Checkpoint>}
     * @memberof CheckpointsAnswerData
     */
    checkpoints: Array<Checkpoint>;
    /**
     * The `$after` of the next page. Absent if there are no more checkpoints.
     * @type {string}
     * @memberof CheckpointsAnswerData
     */
    next?: string;
}
/**
 * 
 * @export
 * @interface Column
 */
export interface Column {
    /**
     * A table or column name.
     * @type {string}
     * @memberof Column
     */
    name: string;
    /**
     * 
     * @type {ColumnType}
     * @memberof Column
     */
    type: ColumnType;
    /**
     * 
     * @type {boolean}
     * @memberof Column
     */
    nullable: boolean;
    /**
     * What the column means, for people.
     * @type {string}
     * @memberof Column
     */
    description?: string;
    /**
     * 
     * @type {any}
     * @memberof Column
     */
    default?: any | null;
    /**
     * Present and true if each value may appear only once.
     * @type {boolean}
     * @memberof Column
     */
    unique?: boolean;
    /**
     * 
     * @type {Reference}
     * @memberof Column
     */
    references?: Reference;
}


/**
 * What is absent stays as it is.
 * @export
 * @interface ColumnAlteration
 */
export interface ColumnAlteration {
    /**
     * A table or column name.
     * @type {string}
     * @memberof ColumnAlteration
     */
    name: string;
    /**
     * A wider type. From integer to bigint or numeric, from bigint to numeric, and from any type to text.
     * @type {ColumnType}
     * @memberof ColumnAlteration
     */
    type?: ColumnType;
    /**
     * 
     * @type {boolean}
     * @memberof ColumnAlteration
     */
    nullable?: boolean;
    /**
     * What the column means, for people.
     * @type {string}
     * @memberof ColumnAlteration
     */
    description?: string;
    /**
     * 
     * @type {any}
     * @memberof ColumnAlteration
     */
    default?: any | null;
    /**
     * 
     * @type {boolean}
     * @memberof ColumnAlteration
     */
    unique?: boolean;
    /**
     * null removes the reference.
     * @type {NewReference}
     * @memberof ColumnAlteration
     */
    references?: NewReference | null;
}


/**
 * 
 * @export
 * @interface ColumnDefinition
 */
export interface ColumnDefinition {
    /**
     * A table or column name.
     * @type {string}
     * @memberof ColumnDefinition
     */
    name: string;
    /**
     * 
     * @type {ColumnType}
     * @memberof ColumnDefinition
     */
    type: ColumnType;
    /**
     * Whether null is allowed.
     * @type {boolean}
     * @memberof ColumnDefinition
     */
    nullable?: boolean;
    /**
     * What the column means, for people.
     * @type {string}
     * @memberof ColumnDefinition
     */
    description?: string;
    /**
     * 
     * @type {any}
     * @memberof ColumnDefinition
     */
    default?: any | null;
    /**
     * Whether each value may appear only once. null may appear any number of times.
     * @type {boolean}
     * @memberof ColumnDefinition
     */
    unique?: boolean;
    /**
     * 
     * @type {NewReference}
     * @memberof ColumnDefinition
     */
    references?: NewReference;
}


/**
 * 
 * @export
 * @interface ColumnRename
 */
export interface ColumnRename {
    /**
     * A table or column name.
     * @type {string}
     * @memberof ColumnRename
     */
    from: string;
    /**
     * A table or column name.
     * @type {string}
     * @memberof ColumnRename
     */
    to: string;
}
/**
 * A dropped column. Of several dropped columns with one name, the one that was dropped last. It comes back nullable if
 * rows were added since.
 * 
 * @export
 * @interface ColumnRestoration
 */
export interface ColumnRestoration {
    /**
     * A table or column name.
     * @type {string}
     * @memberof ColumnRestoration
     */
    name: string;
    /**
     * Its new name. By default the one that it had.
     * @type {string}
     * @memberof ColumnRestoration
     */
    as?: string;
}

/**
 * | type | takes | returns |
 * |---|---|---|
 * | text | string | string |
 * | integer | number | number |
 * | bigint | number or string of digits | string |
 * | numeric | number or decimal string | string |
 * | boolean | true, false | boolean |
 * | date | `YYYY-MM-DD` | the same |
 * | timestamp | RFC 3339 with an offset | UTC with microseconds and `Z` |
 * | jsonb | any JSON | the same JSON |
 * 
 * @export
 */
export const ColumnType = {
    text: 'text',
    integer: 'integer',
    bigint: 'bigint',
    numeric: 'numeric',
    boolean: 'boolean',
    date: 'date',
    timestamp: 'timestamp',
    jsonb: 'jsonb'
} as const;
export type ColumnType = typeof ColumnType[keyof typeof ColumnType];

/**
 * This contract, bundled into one document.
 * @export
 * @interface Contract
 */
export interface Contract {
    [key: string]: any | any;
    /**
     * 
     * @type {string}
     * @memberof Contract
     */
    openapi: string;
    /**
     * 
     * @type {{ [key: string]: any; }}
     * @memberof Contract
     */
    info: { [key: string]: any; };
    /**
     * 
     * @type {{ [key: string]: any; }}
     * @memberof Contract
     */
    paths: { [key: string]: any; };
}
/**
 * 
 * @export
 * @interface Deployment
 */
export interface Deployment {
    /**
     * 
     * @type {string}
     * @memberof Deployment
     */
    process_key: string;
    /**
     * 
     * @type {number}
     * @memberof Deployment
     */
    version: number;
    /**
     * 
     * @type {string}
     * @memberof Deployment
     */
    name: string;
    /**
     * What the engine ignores, each with its line.
     * @type {Array<string>}
     * @memberof Deployment
     */
    warnings: Array<string>;
}
/**
 * 
 * @export
 * @interface DownloadUrl
 */
export interface DownloadUrl {
    /**
     * 
     * @type {string}
     * @memberof DownloadUrl
     */
    attachment_id: string;
    /**
     * Works for one download.
     * @type {string}
     * @memberof DownloadUrl
     */
    url: string;
    /**
     * 
     * @type {string}
     * @memberof DownloadUrl
     */
    expires_at: string;
}
/**
 * 
 * @export
 * @interface DownloadUrlRequest
 */
export interface DownloadUrlRequest {
    /**
     * 
     * @type {number}
     * @memberof DownloadUrlRequest
     */
    tenant_id: number;
    /**
     * 
     * @type {string}
     * @memberof DownloadUrlRequest
     */
    process_instance_id: string;
    /**
     * One entry for each occurrence of a placeholder. An attachment may appear several times.
     * @type {Array<string>}
     * @memberof DownloadUrlRequest
     */
    attachment_ids: Array<string>;
}
/**
 * 
 * @export
 * @interface DownloadUrls
 */
export interface DownloadUrls {
    /**
     * In the order of the request's `attachment_ids`.
     * @type {Array<DownloadUrl>}
     * @memberof DownloadUrls
     */
    urls: Array<DownloadUrl>;
}
/**
 * When the table was dropped. Only for a dropped table.
 * @export
 * @interface Dropped
 */
export interface Dropped {
    /**
     * 
     * @type {string}
     * @memberof Dropped
     */
    at: string;
    /**
     * The user who dropped it.
     * @type {string}
     * @memberof Dropped
     */
    by: string;
    /**
     * 
     * @type {string}
     * @memberof Dropped
     */
    restorable_until: string;
}
/**
 * 
 * @export
 * @interface DroppedColumn
 */
export interface DroppedColumn {
    /**
     * 
     * @type {Column}
     * @memberof DroppedColumn
     */
    column: Column;
    /**
     * 
     * @type {Dropped}
     * @memberof DroppedColumn
     */
    dropped: Dropped;
}
/**
 * 
 * @export
 * @interface DryRun
 */
export interface DryRun {
    /**
     * Why a deployment would be refused. Empty if nothing speaks against it.
     * @type {Array<string>}
     * @memberof DryRun
     */
    faults: Array<string>;
    /**
     * What the engine would ignore, each with its line.
     * @type {Array<string>}
     * @memberof DryRun
     */
    warnings: Array<string>;
    /**
     * The first 1,000 service tasks of the model, in the order of their lines.
     * @type {Array<DryRunTask>}
     * @memberof DryRun
     */
    service_tasks: Array<DryRunTask>;
}
/**
 * Why the request would not be sent. The `type` is that of the incident.
 * @export
 * @interface DryRunFailure
 */
export interface DryRunFailure {
    /**
     * 
     * @type {string}
     * @memberof DryRunFailure
     */
    type: string;
    /**
     * 
     * @type {string}
     * @memberof DryRunFailure
     */
    message: string;
}
/**
 * What would be sent. Null if the request cannot be written.
 * @export
 * @interface DryRunRequest
 */
export interface DryRunRequest {
    /**
     * 
     * @type {string}
     * @memberof DryRunRequest
     */
    method: string;
    /**
     * 
     * @type {string}
     * @memberof DryRunRequest
     */
    url: string;
    /**
     * 
     * @type {{ [key: string]: string; }}
     * @memberof DryRunRequest
     */
    headers: { [key: string]: string; };
    /**
     * 
     * @type {string}
     * @memberof DryRunRequest
     */
    body: string | null;
}
/**
 * 
 * @export
 * @interface DryRunTask
 */
export interface DryRunTask {
    /**
     * 
     * @type {string}
     * @memberof DryRunTask
     */
    activity_id: string;
    /**
     * 
     * @type {number}
     * @memberof DryRunTask
     */
    line: number;
    /**
     * 
     * @type {DryRunTaskTopicEnum}
     * @memberof DryRunTask
     */
    topic: DryRunTaskTopicEnum;
    /**
     * 
     * @type {DryRunRequest}
     * @memberof DryRunTask
     */
    request: DryRunRequest | null;
    /**
     * 
     * @type {DryRunFailure}
     * @memberof DryRunTask
     */
    failure: DryRunFailure | null;
}


/**
 * @export
 */
export const DryRunTaskTopicEnum = {
    api_call: 'api-call',
    addon: 'addon'
} as const;
export type DryRunTaskTopicEnum = typeof DryRunTaskTopicEnum[keyof typeof DryRunTaskTopicEnum];

/**
 * 
 * @export
 * @interface Embed
 */
export interface Embed {
    /**
     * 
     * @type {string}
     * @memberof Embed
     */
    embed_id: string;
    /**
     * Where the form is shown. An absolute URL if the public address of the instance is configured.
     * @type {string}
     * @memberof Embed
     */
    url: string;
}
/**
 * 
 * @export
 * @interface EmbedsInner
 */
export interface EmbedsInner {
    /**
     * 
     * @type {string}
     * @memberof EmbedsInner
     */
    embed_id: string;
    /**
     * 
     * @type {string}
     * @memberof EmbedsInner
     */
    url: string;
    /**
     * 
     * @type {string}
     * @memberof EmbedsInner
     */
    process_key: string;
    /**
     * 
     * @type {Array<string>}
     * @memberof EmbedsInner
     */
    allowed_origins: Array<string>;
    /**
     * 
     * @type {string}
     * @memberof EmbedsInner
     */
    created_by: string;
    /**
     * 
     * @type {string}
     * @memberof EmbedsInner
     */
    created_at: string;
}
/**
 * 
 * @export
 * @interface EngineVariable
 */
export interface EngineVariable {
    /**
     * 
     * @type {string}
     * @memberof EngineVariable
     */
    type: string;
    /**
     * 
     * @type {any}
     * @memberof EngineVariable
     */
    value: any | null;
    /**
     * 
     * @type {EngineVariableValueInfo}
     * @memberof EngineVariable
     */
    valueInfo: EngineVariableValueInfo;
}
/**
 * 
 * @export
 * @interface EngineVariableValueInfo
 */
export interface EngineVariableValueInfo {
    /**
     * 
     * @type {string}
     * @memberof EngineVariableValueInfo
     */
    filename?: string;
    /**
     * 
     * @type {string}
     * @memberof EngineVariableValueInfo
     */
    mimeType?: string;
}
/**
 * 
 * @export
 * @interface Fault
 */
export interface Fault {
    /**
     * JSON pointer (RFC 6901) into the body, or `/query/<name>`, `/path/<name>`, `/header/<name>`.
     * @type {string}
     * @memberof Fault
     */
    pointer: string;
    /**
     * 
     * @type {string}
     * @memberof Fault
     */
    detail: string;
    /**
     * The line of an imported file.
     * @type {number}
     * @memberof Fault
     */
    line?: number;
    /**
     * The column of an imported file.
     * @type {string}
     * @memberof Fault
     */
    column?: string;
    /**
     * The beginning of the value in an imported file.
     * @type {string}
     * @memberof Fault
     */
    value?: string;
}
/**
 * 
 * @export
 * @interface Finalization
 */
export interface Finalization {
    /**
     * 
     * @type {Array<string>}
     * @memberof Finalization
     */
    attachment_ids: Array<string>;
    /**
     * 
     * @type {string}
     * @memberof Finalization
     */
    process_instance_id?: string;
    /**
     * 
     * @type {string}
     * @memberof Finalization
     */
    task_id?: string;
}
/**
 * 
 * @export
 * @interface Finalized
 */
export interface Finalized {
    /**
     * 
     * @type {Array<string>}
     * @memberof Finalized
     */
    committed: Array<string>;
    /**
     * 
     * @type {string}
     * @memberof Finalized
     */
    process_instance_id: string | null;
    /**
     * 
     * @type {string}
     * @memberof Finalized
     */
    task_id: string | null;
}
/**
 * 
 * @export
 * @interface FormSession
 */
export interface FormSession {
    /**
     * Send it in the header `X-Probis-Form-Token`.
     * @type {string}
     * @memberof FormSession
     */
    form_token: string;
    /**
     * 
     * @type {string}
     * @memberof FormSession
     */
    expires_at: string;
}
/**
 * 
 * @export
 * @interface Health
 */
export interface Health {
    /**
     * 
     * @type {HealthStatusEnum}
     * @memberof Health
     */
    status: HealthStatusEnum;
}


/**
 * @export
 */
export const HealthStatusEnum = {
    ok: 'ok'
} as const;
export type HealthStatusEnum = typeof HealthStatusEnum[keyof typeof HealthStatusEnum];

/**
 * 
 * @export
 * @interface Incident
 */
export interface Incident {
    /**
     * 
     * @type {string}
     * @memberof Incident
     */
    incident_id: string;
    /**
     * 
     * @type {string}
     * @memberof Incident
     */
    process_instance_id: string;
    /**
     * 
     * @type {string}
     * @memberof Incident
     */
    process_key: string;
    /**
     * The service task in the BPMN model, or the timer's event.
     * @type {string}
     * @memberof Incident
     */
    activity_id: string;
    /**
     * The kind of failure: `url_issuance_failed`, `rejected` (the integration refused the request), `interrupted`
     * (the server ended during the call), `process_failed` (the integration answered or a timer fired, but the
     * process cannot continue), `internal_error` (see the server's log), or why the request could not be sent or got
     * no answer, such as `unknown_placeholder`, `addon_not_found`, `secret_not_found`, `refused_by_policy`,
     * `unreachable`, `timed_out`. Beside Operaton or Camunda 7 also `external_task_failed` (another worker has given
     * up its task), and the types of incidents that applications report there.
     * 
     * @type {string}
     * @memberof Incident
     */
    type: string;
    /**
     * What an operator can act on. It contains no download token. It contains a variable's value only if the
     * integration repeats it in its refusal, of which the beginning is quoted.
     * 
     * @type {string}
     * @memberof Incident
     */
    message: string;
    /**
     * Whether the integration received the request; `unknown` if it may have.
     * @type {IncidentRequestSentEnum}
     * @memberof Incident
     */
    request_sent: IncidentRequestSentEnum;
    /**
     * The attempt that failed, counted from 1 through all passes of the activity. 0 if nothing was attempted.
     * 
     * @type {number}
     * @memberof Incident
     */
    attempt: number;
    /**
     * 
     * @type {string}
     * @memberof Incident
     */
    created_at: string;
    /**
     * 
     * @type {string}
     * @memberof Incident
     */
    resolved_at: string | null;
}


/**
 * @export
 */
export const IncidentRequestSentEnum = {
    no: 'no',
    yes: 'yes',
    unknown: 'unknown'
} as const;
export type IncidentRequestSentEnum = typeof IncidentRequestSentEnum[keyof typeof IncidentRequestSentEnum];

/**
 * 
 * @export
 * @interface IndexChoice
 */
export interface IndexChoice {
    /**
     * The columns in their order. `id`, `created_at` and `updated_at` are allowed.
     * @type {Array<string>}
     * @memberof IndexChoice
     */
    columns: Array<string>;
}

/**
 * An active instance with an open incident is in the state `incident`.
 * @export
 */
export const InstanceState = {
    active: 'active',
    incident: 'incident',
    completed: 'completed',
    terminated: 'terminated'
} as const;
export type InstanceState = typeof InstanceState[keyof typeof InstanceState];

/**
 * 
 * @export
 * @interface ListedProcessInstance
 */
export interface ListedProcessInstance {
    /**
     * 
     * @type {string}
     * @memberof ListedProcessInstance
     */
    process_instance_id: string;
    /**
     * 
     * @type {string}
     * @memberof ListedProcessInstance
     */
    process_key: string;
    /**
     * 
     * @type {number}
     * @memberof ListedProcessInstance
     */
    version: number;
    /**
     * 
     * @type {InstanceState}
     * @memberof ListedProcessInstance
     */
    state: InstanceState;
    /**
     * What the starter calls the instance.
     * @type {string}
     * @memberof ListedProcessInstance
     */
    business_key: string | null;
    /**
     * Null if a visitor started it.
     * @type {string}
     * @memberof ListedProcessInstance
     */
    started_by: string | null;
    /**
     * 
     * @type {string}
     * @memberof ListedProcessInstance
     */
    started_at: string;
    /**
     * 
     * @type {string}
     * @memberof ListedProcessInstance
     */
    ended_at: string | null;
}


/**
 * 
 * @export
 * @interface Message
 */
export interface Message {
    /**
     * 
     * @type {string}
     * @memberof Message
     */
    message_id: string;
    /**
     * 
     * @type {string}
     * @memberof Message
     */
    author: string;
    /**
     * 
     * @type {string}
     * @memberof Message
     */
    text: string;
    /**
     * 
     * @type {string}
     * @memberof Message
     */
    created_at: string;
    /**
     * 
     * @type {Array<MessageAttachment>}
     * @memberof Message
     */
    attachments: Array<MessageAttachment>;
}
/**
 * 
 * @export
 * @interface MessageAttachment
 */
export interface MessageAttachment {
    /**
     * 
     * @type {string}
     * @memberof MessageAttachment
     */
    attachment_id: string;
    /**
     * 
     * @type {string}
     * @memberof MessageAttachment
     */
    file_name: string;
    /**
     * 
     * @type {string}
     * @memberof MessageAttachment
     */
    mime_type: string;
    /**
     * 
     * @type {number}
     * @memberof MessageAttachment
     */
    size: number;
}
/**
 * 
 * @export
 * @interface Messages
 */
export interface Messages {
    /**
     * 
     * @type {Array<Message>}
     * @memberof Messages
     */
    messages: Array<Message>;
    /**
     * 
     * @type {number}
     * @memberof Messages
     */
    page: number;
    /**
     * 
     * @type {number}
     * @memberof Messages
     */
    limit: number;
}
/**
 * 
 * @export
 * @interface NewAddon
 */
export interface NewAddon {
    /**
     * 
     * @type {string}
     * @memberof NewAddon
     */
    url: string;
}
/**
 * 
 * @export
 * @interface NewDryRun
 */
export interface NewDryRun {
    /**
     * A BPMN 2.0 model, at most 2 MiB.
     * @type {string}
     * @memberof NewDryRun
     */
    bpmn: string;
    /**
     * form-js schemas, each with its `id`, as for a deployment.
     * @type {Array<{ [key: string]: any; }>}
     * @memberof NewDryRun
     */
    forms?: Array<{ [key: string]: any; }>;
    /**
     * The variables, by name.
     * @type {{ [key: string]: Variable; }}
     * @memberof NewDryRun
     */
    variables?: { [key: string]: Variable; };
}
/**
 * 
 * @export
 * @interface NewEmbed
 */
export interface NewEmbed {
    /**
     * 
     * @type {string}
     * @memberof NewEmbed
     */
    process_key: string;
    /**
     * The sites that may show the form in a frame. None by default.
     * @type {Array<string>}
     * @memberof NewEmbed
     */
    allowed_origins?: Array<string>;
}
/**
 * 
 * @export
 * @interface NewFormSession
 */
export interface NewFormSession {
    /**
     * 
     * @type {string}
     * @memberof NewFormSession
     */
    embed_id: string;
}
/**
 * 
 * @export
 * @interface NewIndex
 */
export interface NewIndex {
    /**
     * The columns in their order. `id`, `created_at` and `updated_at` are allowed.
     * @type {Array<string>}
     * @memberof NewIndex
     */
    columns: Array<string>;
    /**
     * Whether each combination of values may appear only once.
     * @type {boolean}
     * @memberof NewIndex
     */
    unique?: boolean;
}
/**
 * 
 * @export
 * @interface NewParticipant
 */
export interface NewParticipant {
    /**
     * The `sub` of the user's access token.
     * @type {string}
     * @memberof NewParticipant
     */
    user: string;
}
/**
 * 
 * @export
 * @interface NewProcessInstance
 */
export interface NewProcessInstance {
    /**
     * 
     * @type {string}
     * @memberof NewProcessInstance
     */
    process_key: string;
    /**
     * What the caller calls the instance, such as the number of an application. Need not be unique. Without control
     * characters.
     * 
     * @type {string}
     * @memberof NewProcessInstance
     */
    business_key?: string;
    /**
     * The variables, by name.
     * @type {{ [key: string]: Variable; }}
     * @memberof NewProcessInstance
     */
    variables?: { [key: string]: Variable; };
}
/**
 * The column holds the `id` of a row of this table. Its type is `bigint` or `integer`. PostgreSQL checks each write.
 * 
 * @export
 * @interface NewReference
 */
export interface NewReference {
    /**
     * A table or column name.
     * @type {string}
     * @memberof NewReference
     */
    table: string;
    /**
     * What happens to a row when the row that it refers to is deleted. See `OnDelete`.
     * @type {NewReferenceOnDeleteEnum}
     * @memberof NewReference
     */
    on_delete?: NewReferenceOnDeleteEnum;
}


/**
 * @export
 */
export const NewReferenceOnDeleteEnum = {
    restrict: 'restrict',
    cascade: 'cascade',
    set_null: 'set_null'
} as const;
export type NewReferenceOnDeleteEnum = typeof NewReferenceOnDeleteEnum[keyof typeof NewReferenceOnDeleteEnum];

/**
 * 
 * @export
 * @interface NewRevocation
 */
export interface NewRevocation {
    /**
     * The token's claim `jti`.
     * @type {string}
     * @memberof NewRevocation
     */
    jti: string;
    /**
     * When the token expires: its claim `exp`. The revocation is deleted after that. Without this value it stays.
     * 
     * @type {string}
     * @memberof NewRevocation
     */
    expires_at?: string;
}
/**
 * 
 * @export
 * @interface NewRows
 */
export interface NewRows {
    /**
     * Every row must have the same columns.
     * @type {Array<{ [key: string]: any; }>}
     * @memberof NewRows
     */
    rows: Array<{ [key: string]: any; }>;
    /**
     * 
     * @type {OnConflict}
     * @memberof NewRows
     */
    on_conflict?: OnConflict;
}
/**
 * 
 * @export
 * @interface NewSecret
 */
export interface NewSecret {
    /**
     * At most 8,192 bytes in UTF-8. No operation returns it.
     * @type {string}
     * @memberof NewSecret
     */
    value: string;
}
/**
 * 
 * @export
 * @interface NewTable
 */
export interface NewTable {
    /**
     * A table or column name.
     * @type {string}
     * @memberof NewTable
     */
    name: string;
    /**
     * 
     * @type {string}
     * @memberof NewTable
     */
    description?: string;
    /**
     * The columns `id`, `created_at` and `updated_at` are built in and must not be listed.
     * @type {Array<ColumnDefinition>}
     * @memberof NewTable
     */
    columns: Array<ColumnDefinition>;
    /**
     * 
     * @type {Array<NewIndex>}
     * @memberof NewTable
     */
    indexes?: Array<NewIndex>;
}
/**
 * What happens with a row if the table has one with the same key. Without this member, the request is refused.
 * 
 * @export
 * @interface OnConflict
 */
export interface OnConflict {
    /**
     * The key: the columns of one of the table's unique indexes. Every row of the request names them. A row with null
     * in one of them has no key, and is inserted.
     * 
     * @type {Array<string>}
     * @memberof OnConflict
     */
    columns: Array<string>;
    /**
     * `update` sets the columns that the request names in the row that exists. Two rows of the request with the same
     * key are refused then. `nothing` leaves the row that exists as it is.
     * 
     * @type {OnConflictDoEnum}
     * @memberof OnConflict
     */
    _do: OnConflictDoEnum;
}


/**
 * @export
 */
export const OnConflictDoEnum = {
    update: 'update',
    nothing: 'nothing'
} as const;
export type OnConflictDoEnum = typeof OnConflictDoEnum[keyof typeof OnConflictDoEnum];


/**
 * What happens to a row when the row that it refers to is deleted: `restrict` refuses the deletion, `cascade` deletes
 * this row too, `set_null` sets the column to null.
 * 
 * @export
 */
export const OnDelete = {
    restrict: 'restrict',
    cascade: 'cascade',
    set_null: 'set_null'
} as const;
export type OnDelete = typeof OnDelete[keyof typeof OnDelete];

/**
 * 
 * @export
 * @interface Participant
 */
export interface Participant {
    /**
     * 
     * @type {string}
     * @memberof Participant
     */
    user: string;
    /**
     * 
     * @type {string}
     * @memberof Participant
     */
    added_by: string;
    /**
     * 
     * @type {string}
     * @memberof Participant
     */
    added_at: string;
}
/**
 * 
 * @export
 * @interface Participants
 */
export interface Participants {
    /**
     * 
     * @type {Array<Participant>}
     * @memberof Participants
     */
    participants: Array<Participant>;
}
/**
 * What went wrong (RFC 9457), together with the platform's envelope members. `code` is stable and meant for
 * programs, `message` is meant for people.
 * 
 * @export
 * @interface Problem
 */
export interface Problem {
    [key: string]: any | any;
    /**
     * 
     * @type {ProblemSuccessEnum}
     * @memberof Problem
     */
    success: ProblemSuccessEnum;
    /**
     * One plain sentence.
     * @type {string}
     * @memberof Problem
     */
    message: string;
    /**
     * `/problems/<code>`
     * @type {string}
     * @memberof Problem
     */
    type: string;
    /**
     * 
     * @type {string}
     * @memberof Problem
     */
    title: string;
    /**
     * 
     * @type {number}
     * @memberof Problem
     */
    status: number;
    /**
     * 
     * @type {string}
     * @memberof Problem
     */
    code: string;
    /**
     * The same as in the `X-Request-Id` header and in every log line of this request.
     * @type {string}
     * @memberof Problem
     */
    request_id: string;
    /**
     * The faults of the request, up to 100.
     * @type {Array<Fault>}
     * @memberof Problem
     */
    errors?: Array<Fault>;
}


/**
 * @export
 */
export const ProblemSuccessEnum = {
    false: false
} as const;
export type ProblemSuccessEnum = typeof ProblemSuccessEnum[keyof typeof ProblemSuccessEnum];

/**
 * 
 * @export
 * @interface ProcessDefinition
 */
export interface ProcessDefinition {
    /**
     * 
     * @type {string}
     * @memberof ProcessDefinition
     */
    process_key: string;
    /**
     * 
     * @type {number}
     * @memberof ProcessDefinition
     */
    version: number;
    /**
     * 
     * @type {string}
     * @memberof ProcessDefinition
     */
    name: string;
    /**
     * 
     * @type {string}
     * @memberof ProcessDefinition
     */
    deployed_by: string;
    /**
     * 
     * @type {string}
     * @memberof ProcessDefinition
     */
    deployed_at: string;
}
/**
 * 
 * @export
 * @interface ProcessDefinitionDetail
 */
export interface ProcessDefinitionDetail {
    /**
     * 
     * @type {string}
     * @memberof ProcessDefinitionDetail
     */
    process_key: string;
    /**
     * 
     * @type {number}
     * @memberof ProcessDefinitionDetail
     */
    version: number;
    /**
     * 
     * @type {string}
     * @memberof ProcessDefinitionDetail
     */
    name: string;
    /**
     * 
     * @type {string}
     * @memberof ProcessDefinitionDetail
     */
    deployed_by: string;
    /**
     * 
     * @type {string}
     * @memberof ProcessDefinitionDetail
     */
    deployed_at: string;
    /**
     * Only for administrators.
     * @type {string}
     * @memberof ProcessDefinitionDetail
     */
    bpmn?: string;
    /**
     * A form-js schema. Null if there is none.
     * @type {{ [key: string]: any; }}
     * @memberof ProcessDefinitionDetail
     */
    start_form: { [key: string]: any; } | null;
}
/**
 * 
 * @export
 * @interface ProcessDefinitions
 */
export interface ProcessDefinitions {
    /**
     * 
     * @type {Array<ProcessDefinition>}
     * @memberof ProcessDefinitions
     */
    process_definitions: Array<ProcessDefinition>;
}
/**
 * 
 * @export
 * @interface ProcessInstance
 */
export interface ProcessInstance {
    /**
     * 
     * @type {string}
     * @memberof ProcessInstance
     */
    process_instance_id: string;
    /**
     * 
     * @type {string}
     * @memberof ProcessInstance
     */
    process_key: string;
    /**
     * 
     * @type {InstanceState}
     * @memberof ProcessInstance
     */
    state: InstanceState;
    /**
     * What the starter calls the instance. In the answer to a request for one instance.
     * @type {string}
     * @memberof ProcessInstance
     */
    business_key?: string | null;
}


/**
 * 
 * @export
 * @interface PublicAllowedTypes
 */
export interface PublicAllowedTypes {
    /**
     * 
     * @type {Array<string>}
     * @memberof PublicAllowedTypes
     */
    extensions: Array<string>;
}
/**
 * 
 * @export
 * @interface ReadVariable
 */
export interface ReadVariable {
    /**
     * 
     * @type {string}
     * @memberof ReadVariable
     */
    type: string;
    /**
     * 
     * @type {any}
     * @memberof ReadVariable
     */
    value: any | null;
    /**
     * 
     * @type {string}
     * @memberof ReadVariable
     */
    filename?: string;
    /**
     * Bytes.
     * @type {number}
     * @memberof ReadVariable
     */
    size?: number;
    /**
     * 
     * @type {string}
     * @memberof ReadVariable
     */
    mime_type?: string;
}
/**
 * 
 * @export
 * @interface Readiness
 */
export interface Readiness {
    /**
     * 
     * @type {ReadinessStatusEnum}
     * @memberof Readiness
     */
    status: ReadinessStatusEnum;
    /**
     * What an operator should look at although the process can serve requests. Absent if there is nothing.
     * @type {Array<ReadinessWarning>}
     * @memberof Readiness
     */
    warnings?: Array<ReadinessWarning>;
}


/**
 * @export
 */
export const ReadinessStatusEnum = {
    ok: 'ok'
} as const;
export type ReadinessStatusEnum = typeof ReadinessStatusEnum[keyof typeof ReadinessStatusEnum];

/**
 * 
 * @export
 * @interface ReadinessWarning
 */
export interface ReadinessWarning {
    /**
     * `clock_off`: the process's clock differs from the database's by more than five seconds. `disk_low`: there is
     * no room for uploads, and they are answered with 507. `engine_away`: the process engine does not answer, and
     * operations that need it return 503. `engine_unusable`: the process engine lacks something, see the message.
     * 
     * @type {string}
     * @memberof ReadinessWarning
     */
    code: string;
    /**
     * 
     * @type {string}
     * @memberof ReadinessWarning
     */
    message: string;
}
/**
 * 
 * @export
 * @interface Reference
 */
export interface Reference {
    /**
     * A table or column name.
     * @type {string}
     * @memberof Reference
     */
    table: string;
    /**
     * 
     * @type {OnDelete}
     * @memberof Reference
     */
    on_delete: OnDelete;
    /**
     * Absent if every row is checked. `checking`: Waybill checks the rows that were there before; new values are
     * checked already. `failed`: some of these rows refer to nothing, so nothing is checked; correct them and give the
     * reference again.
     * 
     * @type {ReferenceStateEnum}
     * @memberof Reference
     */
    state?: ReferenceStateEnum;
}


/**
 * @export
 */
export const ReferenceStateEnum = {
    checking: 'checking',
    failed: 'failed'
} as const;
export type ReferenceStateEnum = typeof ReferenceStateEnum[keyof typeof ReferenceStateEnum];

/**
 * 
 * @export
 * @interface ReportAnswer
 */
export interface ReportAnswer {
    /**
     * 
     * @type {ReportAnswerSuccessEnum}
     * @memberof ReportAnswer
     */
    success: ReportAnswerSuccessEnum;
    /**
     * 
     * @type {string}
     * @memberof ReportAnswer
     */
    message: string;
    /**
     * 
     * @type {ReportAnswerData}
     * @memberof ReportAnswer
     */
    data: ReportAnswerData;
}


/**
 * @export
 */
export const ReportAnswerSuccessEnum = {
    true: true
} as const;
export type ReportAnswerSuccessEnum = typeof ReportAnswerSuccessEnum[keyof typeof ReportAnswerSuccessEnum];

/**
 * 
 * @export
 * @interface ReportAnswerData
 */
export interface ReportAnswerData {
    /**
     * 
     * @type {Array<ReportInstance>}
     * @memberof ReportAnswerData
     */
    instances: Array<ReportInstance>;
    /**
     * 
     * @type {number}
     * @memberof ReportAnswerData
     */
    page: number;
    /**
     * 
     * @type {number}
     * @memberof ReportAnswerData
     */
    limit: number;
    /**
     * 
     * @type {number}
     * @memberof ReportAnswerData
     */
    total: number;
}
/**
 * 
 * @export
 * @interface ReportInstance
 */
export interface ReportInstance {
    /**
     * 
     * @type {string}
     * @memberof ReportInstance
     */
    process_instance_id: string;
    /**
     * 
     * @type {number}
     * @memberof ReportInstance
     */
    version: number;
    /**
     * 
     * @type {ReportInstanceStateEnum}
     * @memberof ReportInstance
     */
    state: ReportInstanceStateEnum;
    /**
     * A user's `sub`. Null for a visitor.
     * @type {string}
     * @memberof ReportInstance
     */
    started_by: string | null;
    /**
     * 
     * @type {string}
     * @memberof ReportInstance
     */
    started_at: string;
    /**
     * 
     * @type {string}
     * @memberof ReportInstance
     */
    ended_at: string | null;
    /**
     * 
     * @type {{ [key: string]: ReadVariable; }}
     * @memberof ReportInstance
     */
    variables: { [key: string]: ReadVariable; };
}


/**
 * @export
 */
export const ReportInstanceStateEnum = {
    active: 'active',
    completed: 'completed',
    terminated: 'terminated'
} as const;
export type ReportInstanceStateEnum = typeof ReportInstanceStateEnum[keyof typeof ReportInstanceStateEnum];

/**
 * 
 * @export
 * @interface Rerun
 */
export interface Rerun {
    /**
     * 
     * @type {string}
     * @memberof Rerun
     */
    incident_id: string;
    /**
     * 
     * @type {string}
     * @memberof Rerun
     */
    process_instance_id: string;
}
/**
 * 
 * @export
 * @interface Revocation
 */
export interface Revocation {
    /**
     * 
     * @type {string}
     * @memberof Revocation
     */
    jti: string;
    /**
     * 
     * @type {string}
     * @memberof Revocation
     */
    expires_at: string | null;
    /**
     * 
     * @type {string}
     * @memberof Revocation
     */
    revoked_by: string;
    /**
     * 
     * @type {string}
     * @memberof Revocation
     */
    revoked_at: string;
}
/**
 * The table's own columns, in addition to the built-in ones.
 * @export
 * @interface Row
 */
export interface Row {
    [key: string]: any | any;
    /**
     * A bigint, so a string.
     * @type {string}
     * @memberof Row
     */
    id: string;
    /**
     * 
     * @type {string}
     * @memberof Row
     */
    created_at: string;
    /**
     * 
     * @type {string}
     * @memberof Row
     */
    updated_at: string;
}
/**
 * 
 * @export
 * @interface RowAnswer
 */
export interface RowAnswer {
    /**
     * 
     * @type {RowAnswerSuccessEnum}
     * @memberof RowAnswer
     */
    success: RowAnswerSuccessEnum;
    /**
     * 
     * @type {string}
     * @memberof RowAnswer
     */
    message: string;
    /**
     * 
     * @type {Row}
     * @memberof RowAnswer
     */
    data: Row;
}


/**
 * @export
 */
export const RowAnswerSuccessEnum = {
    true: true
} as const;
export type RowAnswerSuccessEnum = typeof RowAnswerSuccessEnum[keyof typeof RowAnswerSuccessEnum];

/**
 * 
 * @export
 * @interface RowDeletion
 */
export interface RowDeletion {
    /**
     * Column to value. A row matches if it equals all of them. null matches rows without a value.
     * @type {{ [key: string]: any; }}
     * @memberof RowDeletion
     */
    where: { [key: string]: any; };
}
/**
 * 
 * @export
 * @interface RowListAnswer
 */
export interface RowListAnswer {
    /**
     * 
     * @type {RowListAnswerSuccessEnum}
     * @memberof RowListAnswer
     */
    success: RowListAnswerSuccessEnum;
    /**
     * 
     * @type {string}
     * @memberof RowListAnswer
     */
    message: string;
    /**
     * 
     * @type {RowListAnswerData}
     * @memberof RowListAnswer
     */
    data: RowListAnswerData;
}


/**
 * @export
 */
export const RowListAnswerSuccessEnum = {
    true: true
} as const;
export type RowListAnswerSuccessEnum = typeof RowListAnswerSuccessEnum[keyof typeof RowListAnswerSuccessEnum];

/**
 * 
 * @export
 * @interface RowListAnswerData
 */
export interface RowListAnswerData {
    /**
     * Each with `id`, `created_at`, `updated_at` and the table's own columns. With `$select`, `id` and the selected
     * columns. With `$apply`, the columns of the groups.
     * 
     * @type {Array<{ [key: string]: any; }>}
     * @memberof RowListAnswerData
     */
    rows: Array<{ [key: string]: any; }>;
    /**
     * 0 with `$after`.
     * @type {number}
     * @memberof RowListAnswerData
     */
    page: number;
    /**
     * 
     * @type {number}
     * @memberof RowListAnswerData
     */
    limit: number;
    /**
     * The number of matching rows. Absent if the request says `$total=false`.
     * @type {number}
     * @memberof RowListAnswerData
     */
    total?: number;
    /**
     * A cursor for `$after`, which lists the rows after these. Absent if there are none.
     * @type {string}
     * @memberof RowListAnswerData
     */
    next?: string;
}
/**
 * 
 * @export
 * @interface RowUpdate
 */
export interface RowUpdate {
    /**
     * Column to value. A row matches if it equals all of them. null matches rows without a value.
     * @type {{ [key: string]: any; }}
     * @memberof RowUpdate
     */
    where: { [key: string]: any; };
    /**
     * Column to new value. The server sets `updated_at`. The built-in columns cannot be set.
     * @type {{ [key: string]: any; }}
     * @memberof RowUpdate
     */
    set: { [key: string]: any; };
}
/**
 * 
 * @export
 * @interface Secret
 */
export interface Secret {
    /**
     * 
     * @type {string}
     * @memberof Secret
     */
    name: string;
    /**
     * 
     * @type {string}
     * @memberof Secret
     */
    updated_by: string;
    /**
     * 
     * @type {string}
     * @memberof Secret
     */
    updated_at: string;
}
/**
 * 
 * @export
 * @interface Secrets
 */
export interface Secrets {
    /**
     * 
     * @type {Array<Secret>}
     * @memberof Secrets
     */
    secrets: Array<Secret>;
}
/**
 * 
 * @export
 * @interface SessionDraft
 */
export interface SessionDraft {
    /**
     * 
     * @type {string}
     * @memberof SessionDraft
     */
    field_name: string;
    /**
     * 
     * @type {AttachmentMetadata}
     * @memberof SessionDraft
     */
    metadata: AttachmentMetadata;
}
/**
 * 
 * @export
 * @interface SessionLimits
 */
export interface SessionLimits {
    /**
     * 
     * @type {Array<string>}
     * @memberof SessionLimits
     */
    extensions: Array<string>;
    /**
     * 
     * @type {number}
     * @memberof SessionLimits
     */
    max_file_bytes: number;
    /**
     * 
     * @type {number}
     * @memberof SessionLimits
     */
    max_files: number;
    /**
     * 
     * @type {number}
     * @memberof SessionLimits
     */
    max_total_bytes: number;
    /**
     * 
     * @type {number}
     * @memberof SessionLimits
     */
    files_left: number;
    /**
     * 
     * @type {number}
     * @memberof SessionLimits
     */
    bytes_left: number;
}
/**
 * 
 * @export
 * @interface StartForm
 */
export interface StartForm {
    /**
     * 
     * @type {string}
     * @memberof StartForm
     */
    process_key: string;
    /**
     * 
     * @type {string}
     * @memberof StartForm
     */
    name: string;
    /**
     * A form-js schema. Null if there is none.
     * @type {{ [key: string]: any; }}
     * @memberof StartForm
     */
    form: { [key: string]: any; } | null;
    /**
     * 
     * @type {string}
     * @memberof StartForm
     */
    expires_at: string;
    /**
     * 
     * @type {SessionLimits}
     * @memberof StartForm
     */
    limits: SessionLimits;
    /**
     * The session's drafts, oldest first.
     * @type {Array<SessionDraft>}
     * @memberof StartForm
     */
    drafts: Array<SessionDraft>;
    /**
     * 
     * @type {string}
     * @memberof StartForm
     */
    process_instance_id: string | null;
}
/**
 * Any of these changes, together. `drop_columns`, `rename_columns`, `alter_columns` and `drop_indexes` use the names
 * before the change. `add_indexes` uses the names after it.
 * 
 * @export
 * @interface TableAlteration
 */
export interface TableAlteration {
    /**
     * A table or column name.
     * @type {string}
     * @memberof TableAlteration
     */
    rename_to?: string;
    /**
     * 
     * @type {string}
     * @memberof TableAlteration
     */
    description?: string;
    /**
     * The columns and the indexes on them disappear. They can be restored for `TABLES_UNDO_DAYS` days, unless the
     * request says `$purge=true`.
     * 
     * @type {Array<string>}
     * @memberof TableAlteration
     */
    drop_columns?: Array<string>;
    /**
     * Two columns can exchange their names.
     * @type {Array<ColumnRename>}
     * @memberof TableAlteration
     */
    rename_columns?: Array<ColumnRename>;
    /**
     * 
     * @type {Array<ColumnAlteration>}
     * @memberof TableAlteration
     */
    alter_columns?: Array<ColumnAlteration>;
    /**
     * Rows that exist get the default, or null.
     * @type {Array<ColumnDefinition>}
     * @memberof TableAlteration
     */
    add_columns?: Array<ColumnDefinition>;
    /**
     * 
     * @type {Array<ColumnRestoration>}
     * @memberof TableAlteration
     */
    restore_columns?: Array<ColumnRestoration>;
    /**
     * 
     * @type {Array<IndexChoice>}
     * @memberof TableAlteration
     */
    drop_indexes?: Array<IndexChoice>;
    /**
     * 
     * @type {Array<NewIndex>}
     * @memberof TableAlteration
     */
    add_indexes?: Array<NewIndex>;
}
/**
 * 
 * @export
 * @interface TableAnswer
 */
export interface TableAnswer {
    /**
     * 
     * @type {TableAnswerSuccessEnum}
     * @memberof TableAnswer
     */
    success: TableAnswerSuccessEnum;
    /**
     * 
     * @type {string}
     * @memberof TableAnswer
     */
    message: string;
    /**
     * 
     * @type {TableRecord}
     * @memberof TableAnswer
     */
    data: TableRecord;
}


/**
 * @export
 */
export const TableAnswerSuccessEnum = {
    true: true
} as const;
export type TableAnswerSuccessEnum = typeof TableAnswerSuccessEnum[keyof typeof TableAnswerSuccessEnum];

/**
 * 
 * @export
 * @interface TableIndex
 */
export interface TableIndex {
    /**
     * The columns in their order. `id`, `created_at` and `updated_at` are allowed.
     * @type {Array<string>}
     * @memberof TableIndex
     */
    columns: Array<string>;
    /**
     * 
     * @type {boolean}
     * @memberof TableIndex
     */
    unique: boolean;
    /**
     * `building`: Waybill builds it in the background, and nobody waits for it. `failed`: `error` says why; drop the
     * index and add it again. Only a `ready` index is used, and only a `ready` unique index refuses duplicates.
     * 
     * @type {TableIndexStateEnum}
     * @memberof TableIndex
     */
    state: TableIndexStateEnum;
    /**
     * 
     * @type {string}
     * @memberof TableIndex
     */
    error?: string;
}


/**
 * @export
 */
export const TableIndexStateEnum = {
    ready: 'ready',
    building: 'building',
    failed: 'failed'
} as const;
export type TableIndexStateEnum = typeof TableIndexStateEnum[keyof typeof TableIndexStateEnum];

/**
 * 
 * @export
 * @interface TableListAnswer
 */
export interface TableListAnswer {
    /**
     * 
     * @type {TableListAnswerSuccessEnum}
     * @memberof TableListAnswer
     */
    success: TableListAnswerSuccessEnum;
    /**
     * 
     * @type {string}
     * @memberof TableListAnswer
     */
    message: string;
    /**
     * 
     * @type {TableListAnswerData}
     * @memberof TableListAnswer
     */
    data: TableListAnswerData;
}


/**
 * @export
 */
export const TableListAnswerSuccessEnum = {
    true: true
} as const;
export type TableListAnswerSuccessEnum = typeof TableListAnswerSuccessEnum[keyof typeof TableListAnswerSuccessEnum];

/**
 * 
 * @export
 * @interface TableListAnswerData
 */
export interface TableListAnswerData {
    /**
     * Newest first.
     * @type {Array<TableRecord>}
     * @memberof TableListAnswerData
     */
    tables: Array<TableRecord>;
}
/**
 * 
 * @export
 * @interface TableRecord
 */
export interface TableRecord {
    /**
     * Identifies this definition. A table that is dropped and created again gets another id.
     * @type {number}
     * @memberof TableRecord
     */
    id: number;
    /**
     * A table or column name.
     * @type {string}
     * @memberof TableRecord
     */
    table_name: string;
    /**
     * 
     * @type {Array<Column>}
     * @memberof TableRecord
     */
    columns: Array<Column>;
    /**
     * 
     * @type {string}
     * @memberof TableRecord
     */
    description: string;
    /**
     * 
     * @type {string}
     * @memberof TableRecord
     */
    created_at: string;
    /**
     * 
     * @type {string}
     * @memberof TableRecord
     */
    updated_at: string;
    /**
     * Begins with 1. Each change of the definition adds one.
     * @type {number}
     * @memberof TableRecord
     */
    version?: number;
    /**
     * 
     * @type {Array<TableIndex>}
     * @memberof TableRecord
     */
    indexes?: Array<TableIndex>;
    /**
     * 
     * @type {Dropped}
     * @memberof TableRecord
     */
    dropped?: Dropped;
    /**
     * Columns that can be restored, last dropped first. Only if the request says `$dropped=true`.
     * @type {Array<DroppedColumn>}
     * @memberof TableRecord
     */
    dropped_columns?: Array<DroppedColumn>;
}
/**
 * 
 * @export
 * @interface TableRestoration
 */
export interface TableRestoration {
    /**
     * The table's new name. By default the one that it had.
     * @type {string}
     * @memberof TableRestoration
     */
    name?: string;
}
/**
 * 
 * @export
 * @interface Task
 */
export interface Task {
    /**
     * 
     * @type {string}
     * @memberof Task
     */
    task_id: string;
    /**
     * 
     * @type {string}
     * @memberof Task
     */
    process_instance_id: string;
    /**
     * 
     * @type {string}
     * @memberof Task
     */
    process_key: string;
    /**
     * 
     * @type {string}
     * @memberof Task
     */
    activity_id: string;
    /**
     * 
     * @type {string}
     * @memberof Task
     */
    name: string;
    /**
     * 
     * @type {string}
     * @memberof Task
     */
    form_key: string | null;
    /**
     * 
     * @type {string}
     * @memberof Task
     */
    created_at: string;
    /**
     * The `sub` of the user to whom the task is assigned. Null if it is assigned to nobody.
     * @type {string}
     * @memberof Task
     */
    assignee: string | null;
    /**
     * The `sub` of each user who may claim the task.
     * @type {Array<string>}
     * @memberof Task
     */
    candidate_users: Array<string>;
    /**
     * The groups whose members may claim the task. Access tokens name the groups of a user.
     * @type {Array<string>}
     * @memberof Task
     */
    candidate_groups: Array<string>;
}
/**
 * 
 * @export
 * @interface TaskAssignment
 */
export interface TaskAssignment {
    /**
     * The `sub` of the user's access token. Null assigns the task to nobody.
     * @type {string}
     * @memberof TaskAssignment
     */
    assignee: string | null;
}
/**
 * 
 * @export
 * @interface TaskCompletion
 */
export interface TaskCompletion {
    /**
     * The variables, by name.
     * @type {{ [key: string]: Variable; }}
     * @memberof TaskCompletion
     */
    variables?: { [key: string]: Variable; };
}
/**
 * 
 * @export
 * @interface TaskDetail
 */
export interface TaskDetail {
    /**
     * 
     * @type {string}
     * @memberof TaskDetail
     */
    task_id: string;
    /**
     * 
     * @type {string}
     * @memberof TaskDetail
     */
    process_instance_id: string;
    /**
     * 
     * @type {string}
     * @memberof TaskDetail
     */
    process_key: string;
    /**
     * 
     * @type {string}
     * @memberof TaskDetail
     */
    activity_id: string;
    /**
     * 
     * @type {string}
     * @memberof TaskDetail
     */
    name: string;
    /**
     * 
     * @type {string}
     * @memberof TaskDetail
     */
    form_key: string | null;
    /**
     * 
     * @type {string}
     * @memberof TaskDetail
     */
    created_at: string;
    /**
     * The `sub` of the user to whom the task is assigned. Null if it is assigned to nobody.
     * @type {string}
     * @memberof TaskDetail
     */
    assignee: string | null;
    /**
     * The `sub` of each user who may claim the task.
     * @type {Array<string>}
     * @memberof TaskDetail
     */
    candidate_users: Array<string>;
    /**
     * The groups whose members may claim the task. Access tokens name the groups of a user.
     * @type {Array<string>}
     * @memberof TaskDetail
     */
    candidate_groups: Array<string>;
    /**
     * A form-js schema. Null if there is none.
     * @type {{ [key: string]: any; }}
     * @memberof TaskDetail
     */
    form: { [key: string]: any; } | null;
}
/**
 * 
 * @export
 * @interface TrailFault
 */
export interface TrailFault {
    /**
     * 
     * @type {TrailFaultKindEnum}
     * @memberof TrailFault
     */
    kind: TrailFaultKindEnum;
    /**
     * The id of the record, or the number of the checkpoint.
     * @type {string}
     * @memberof TrailFault
     */
    id: string;
}


/**
 * @export
 */
export const TrailFaultKindEnum = {
    record_changed: 'record_changed',
    record_removed: 'record_removed',
    record_added: 'record_added',
    checkpoint_changed: 'checkpoint_changed',
    checkpoint_removed: 'checkpoint_removed'
} as const;
export type TrailFaultKindEnum = typeof TrailFaultKindEnum[keyof typeof TrailFaultKindEnum];

/**
 * 
 * @export
 * @interface UploadedFile
 */
export interface UploadedFile {
    /**
     * Absolute from the gateway root. Reading it needs a login.
     * @type {string}
     * @memberof UploadedFile
     */
    path: string;
}
/**
 * 
 * @export
 * @interface Variable
 */
export interface Variable {
    /**
     * 
     * @type {any}
     * @memberof Variable
     */
    value: any | null;
    /**
     * A type of Camunda 7. If absent, it follows from the value.
     * @type {VariableTypeEnum}
     * @memberof Variable
     */
    type?: VariableTypeEnum;
    /**
     * 
     * @type {VariableValueInfo}
     * @memberof Variable
     */
    valueInfo?: VariableValueInfo;
}


/**
 * @export
 */
export const VariableTypeEnum = {
    String: 'String',
    Integer: 'Integer',
    Long: 'Long',
    Double: 'Double',
    Boolean: 'Boolean',
    Date: 'Date',
    Json: 'Json',
    Null: 'Null',
    File: 'File'
} as const;
export type VariableTypeEnum = typeof VariableTypeEnum[keyof typeof VariableTypeEnum];

/**
 * 
 * @export
 * @interface VariableCorrections
 */
export interface VariableCorrections {
    /**
     * The variables, by name.
     * @type {{ [key: string]: Variable; }}
     * @memberof VariableCorrections
     */
    variables: { [key: string]: Variable; };
}
/**
 * 
 * @export
 * @interface VariableValueInfo
 */
export interface VariableValueInfo {
    /**
     * 
     * @type {string}
     * @memberof VariableValueInfo
     */
    filename?: string;
    /**
     * 
     * @type {string}
     * @memberof VariableValueInfo
     */
    mimetype?: string;
    /**
     * The same as `mimetype`, spelled as in responses.
     * @type {string}
     * @memberof VariableValueInfo
     */
    mimeType?: string;
}
/**
 * 
 * @export
 * @interface VisitorStart
 */
export interface VisitorStart {
    /**
     * The variables, by name.
     * @type {{ [key: string]: Variable; }}
     * @memberof VisitorStart
     */
    variables?: { [key: string]: Variable; };
}
