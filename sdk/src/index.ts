/** Waybill for TypeScript: a client of every operation, a receiver of files, and an uploader for form builders. */
export { type Client, type ClientOptions, createClient, type WithTenant } from "./client.ts";
export {
  type AttachmentVariable,
  isDownloadUrl,
  type NotMetadata,
  readAttachmentVariable,
  resolveFileValue,
} from "./fileValue.ts";
export * from "./generated/index.ts";
export { ProblemError } from "./problemError.ts";
export { type ReceiveOptions, receiveFile } from "./receive.ts";
export { ReceiveError, type ReceiveErrorCode } from "./receiveError.ts";
export {
  createTableFiles,
  type ExportOptions,
  type FileExportOptions,
  type ImportOptions,
  type TableFileFormat,
  type TableFiles,
} from "./tableFiles.ts";
export {
  createUploader,
  FileRefused,
  inPlainWords,
  type Limits,
  type LoginUploaderOptions,
  type PublicUploaderOptions,
  type Uploader,
  type UploaderOptions,
  type UploadOptions,
} from "./uploader.ts";
