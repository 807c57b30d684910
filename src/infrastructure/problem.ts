/**
 * Every problem that an answer can report: its code, status and title (RFC 9457).
 *
 * Code throws `new Problem("table_not_found")`. Only `http/problemResponse.ts` turns a Problem into an answer. The
 * caller may read `message`. Internal facts are in `cause`, which only the log shows.
 */

/** Why the content of a file is refused. files/content/rejection.ts has a sentence for each. */
export const rejectionCodes = [
  "file_empty",
  "extension_not_allowed",
  "type_mismatch",
  "file_too_complex",
  "file_ambiguous",
  "image_damaged",
  "image_truncated",
  "image_too_large",
  "image_trailing_data",
  "pdf_damaged",
  "pdf_truncated",
  "pdf_trailing_data",
  "document_encrypted",
  "document_has_macros",
  "document_remote_content",
  "document_wrong_kind",
  "document_damaged",
  "archive_damaged",
  "archive_unsupported",
  "archive_hidden_data",
  "archive_bomb",
  "archive_too_many_entries",
  "archive_unsafe_name",
  "archive_duplicate_name",
] as const;

export type RejectionCode = (typeof rejectionCodes)[number];

const rejectionProblems = Object.fromEntries(
  rejectionCodes.map((code) => [code, [415, "The file is not allowed"] as const]),
) as Record<RejectionCode, readonly [415, "The file is not allowed"]>;

export const problems = {
  bad_request: [400, "The request cannot be read"],
  invalid_json: [400, "The body is not valid JSON"],
  invalid_body: [400, "The body is not valid"],
  invalid_parameter: [400, "A parameter is not valid"],
  invalid_value: [400, "A value does not fit its column"],
  unknown_column: [400, "A column does not exist"],
  unequal_columns: [400, "The rows do not have the same columns"],
  duplicate_column: [400, "A column is defined twice"],
  built_in_column: [400, "A built-in column cannot be defined or set"],
  table_name_in_use: [400, "The table name is in use"],
  confirmation_required: [400, "The change is not confirmed"],
  row_too_large: [400, "A row is too large"],
  duplicate_key: [400, "Two rows of the request have the same key"],
  no_unique_index: [400, "No unique index has these columns"],
  answer_too_large: [400, "The answer would be too large"],
  table_has_dependents: [400, "Something else depends on the table"],
  file_name_invalid: [400, "The file name cannot be used"],
  invalid_bpmn: [400, "The model cannot be deployed"],
  invalid_form: [400, "A form cannot be deployed"],
  invalid_variable: [400, "A variable is not valid"],
  variables_too_large: [400, "The variables of a process instance are too large"],
  unauthenticated: [401, "Not authenticated"],
  download_refused: [401, "The download link is not valid"],
  task_not_yours: [403, "The task belongs to somebody else"],
  deployments_disabled: [403, "Models are deployed at the process engine"],
  table_not_found: [404, "The table does not exist"],
  row_not_found: [404, "The row does not exist"],
  attachment_not_found: [404, "The attachment does not exist"],
  embed_not_found: [404, "The form does not exist"],
  discussion_not_found: [404, "The discussion does not exist"],
  participant_not_found: [404, "The participant does not exist"],
  process_not_found: [404, "The process does not exist"],
  process_instance_not_found: [404, "The process instance does not exist"],
  task_not_found: [404, "The task does not exist"],
  variable_not_found: [404, "The variable does not exist"],
  incident_not_found: [404, "The incident does not exist"],
  addon_not_found: [404, "The addon does not exist"],
  secret_not_found: [404, "The secret does not exist"],
  file_not_found: [404, "The file does not exist"],
  route_not_found: [404, "There is nothing at this address"],
  method_not_allowed: [405, "The method is not allowed here"],
  request_timeout: [408, "The request took too long to arrive"],
  unique_violation: [409, "A row with this key exists"],
  reference_violation: [409, "A reference between rows does not hold"],
  idempotency_key_in_use: [409, "The first request with this key is under way"],
  attachment_committed: [409, "The attachment is committed"],
  change_impossible: [409, "The table does not allow the change"],
  not_committed: [409, "Not all attachments can be committed"],
  process_key_in_use: [409, "The process key cannot be used"],
  instance_ended: [409, "The process instance has ended"],
  task_completed: [409, "The task is completed"],
  task_assigned: [409, "The task is assigned to somebody else"],
  incident_resolved: [409, "The incident is resolved"],
  too_many_secrets: [409, "The tenant has too many secrets"],
  session_quota_exceeded: [409, "The form session has no room for this file"],
  too_many_revocations: [409, "Too many tokens are revoked"],
  precondition_failed: [412, "Somebody else changed it first"],
  payload_too_large: [413, "The request is too large"],
  unsupported_media_type: [415, "The content type is not supported"],
  identity_unavailable: [503, "Access tokens cannot be verified at the moment"],
  storage_unavailable: [503, "The object storage is not available"],
  idempotency_key_reused: [422, "Another request had this key"],
  query_too_slow: [422, "The query takes too long"],
  process_failed: [422, "The process cannot go on"],
  engine_rejected: [422, "The process engine refused this"],
  malware_found: [422, "The file contains malware"],
  rate_limited: [429, "Too many requests"],
  upload_quota_exceeded: [429, "The daily upload quota is used up"],
  insufficient_storage: [507, "There is no room for the file"],
  not_supported_by_engine: [501, "The process engine cannot do this"],
  not_configured: [501, "The instance is not configured for this"],
  scanner_unavailable: [503, "The malware scanner is not available"],
  internal_error: [500, "Something went wrong on our side"],
  database_unavailable: [503, "The database is not available"],
  engine_unavailable: [503, "The process engine is not available"],
  draining: [503, "The server is shutting down"],
  busy: [503, "The resource is busy"],
  overloaded: [503, "The server is overloaded"],
  ...rejectionProblems,
} as const satisfies Record<string, readonly [status: number, title: string]>;

export type ProblemCode = keyof typeof problems;

/** One fault of a request. `pointer` is a JSON pointer (RFC 6901) into its body, or a path such as `/query/<name>`. */
export interface Fault {
  readonly pointer: string;
  readonly detail: string;
  /** Where the fault is in an imported file, and the beginning of the value there. */
  readonly line?: number;
  readonly column?: string;
  readonly value?: string;
}

export interface ProblemOptions {
  /** A plain sentence for the caller. Never contains SQL, a path, a secret or the name of another tenant. */
  readonly message?: string;
  /** Every fault of one body. At most `maxFaults` of them are sent. */
  readonly errors?: readonly Fault[];
  /** Further members of the answer, such as `not_committed`. */
  readonly members?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** HTML that is sent in place of the Problem, for requests by people. */
  readonly page?: string;
  readonly cause?: unknown;
}

/** Sent with every 503, unless the problem sets the header itself. */
const retryAfter = { "Retry-After": "5" };

/** Faults in one answer. */
export const maxFaults = 100;

export class Problem extends Error {
  override readonly name = "Problem";
  readonly code: ProblemCode;
  readonly status: number;
  readonly title: string;
  readonly errors: readonly Fault[];
  readonly members: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly page: string | undefined;

  constructor(code: ProblemCode, options: ProblemOptions = {}) {
    const [status, title] = problems[code];
    super(options.message ?? summaryOf(options.errors?.slice(0, maxFaults).map(shortened)) ?? `${title}.`, {
      cause: options.cause,
    });
    this.code = code;
    this.status = status;
    this.title = title;
    this.errors = (options.errors ?? []).slice(0, maxFaults).map(shortened);
    this.members = options.members ?? {};
    this.headers = { ...(status === 503 ? retryAfter : {}), ...options.headers };
    this.page = options.page;
  }
}

/** A fault may repeat what the caller sent, but not megabytes of it. */
const maxFaultText = 4_000;

const shortened = ({ pointer, detail, ...place }: Fault): Fault => ({
  pointer: cut(pointer),
  detail: cut(detail),
  ...place,
});

const cut = (text: string) =>
  text.length <= maxFaultText ? text : `${text.slice(0, maxFaultText).toWellFormed()}…`;

/** The first fault with its pointer, and how many others there are. */
function summaryOf(errors: readonly Fault[] = []): string | undefined {
  const [first, ...others] = errors;
  if (!first) return undefined;
  const more = others.length === 0 ? "" : ` (${others.length} more in errors)`;
  return `${first.pointer === "" ? "" : `${first.pointer}: `}${first.detail}${more}`;
}
