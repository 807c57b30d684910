/** Tables as files: imports that show their progress, and exports as a stream or row by row. */
import type { ClientOptions } from "./client.ts";
import type { AffectedRowsAnswer, Row } from "./generated/index.ts";
import { ProblemError } from "./problemError.ts";
import { sendForm } from "./sendForm.ts";
import { overNetwork } from "./unreachable.ts";

export type TableFileFormat = "csv" | "ndjson";

export interface ImportOptions {
  /** `csv` by default. */
  readonly format?: TableFileFormat | undefined;
  /** Checks everything and writes nothing. */
  readonly dryRun?: boolean | undefined;
  /** Reads `1234,56` in numeric columns of CSV as 1234.56. */
  readonly decimalComma?: boolean | undefined;
  /** Columns of the file that are left out, such as those that an export adds: `id`, `created_at`, `updated_at`. */
  readonly skip?: readonly string[] | undefined;
  /** 0 to 1: how much of the file was sent. The server then checks and writes the rows. */
  readonly onProgress?: ((fraction: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ExportOptions {
  /** Parameters of the list, such as `{ branch: "Bandung" }` or `{ $filter: "amount gt 1000" }`. */
  readonly filters?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface FileExportOptions extends ExportOptions {
  /** `csv` by default. */
  readonly format?: TableFileFormat | undefined;
  /** Writes an apostrophe before each text of CSV that a spreadsheet would run as a formula. */
  readonly safe?: boolean | undefined;
}

export interface TableFiles {
  /**
   * Imports a file, all of its rows or none, and returns how many there were. If it has faults, it throws a
   * `ProblemError` whose `errors` have the line, the column and the value of the first hundred.
   */
  importRows(table: string, file: Blob | string, options?: ImportOptions): Promise<number>;
  /** Every row that matches, as the bytes of a file. The stream fails if not all of them arrive. */
  exportFile(table: string, options?: FileExportOptions): Promise<ReadableStream<Uint8Array>>;
  /** Every row that matches, one after the other, however many there are. Fails if not all of them arrive. */
  exportRows(table: string, options?: ExportOptions): AsyncGenerator<Row>;
}

const mediaTypes = { csv: "text/csv", ndjson: "application/x-ndjson" } as const;

/** `tenant.id` is required, and `tenant.slug` is not used. */
export function createTableFiles(options: Omit<ClientOptions, "formToken">): TableFiles {
  const { tenant, fetch: send } = options;
  const root = `${options.baseUrl.replace(/\/+$/, "")}/api/v1/report/${tenant?.id}/schema/tables`;
  const urlOf = (table: string, query: Readonly<Record<string, string | undefined>>) => {
    const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return `${root}/${encodeURIComponent(table)}/rows?${new URLSearchParams(given)}`;
  };
  const authorization = async () => {
    const { token } = options;
    return { Authorization: `Bearer ${typeof token === "function" ? await token() : token}` };
  };
  const download = async (url: string, accept: string, signal: AbortSignal | undefined) => {
    const headers = { ...(await authorization()), Accept: accept };
    const response = await overNetwork((send ?? fetch)(url, { headers, signal: signal ?? null }), signal);
    if (!response.ok) throw await ProblemError.from(response);
    return response.body as ReadableStream<Uint8Array>;
  };
  return {
    async importRows(table, file, { format = "csv", onProgress, signal, ...rest } = {}) {
      const body = typeof file === "string" ? new Blob([file]) : file;
      const query = {
        $dry_run: rest.dryRun ? "true" : undefined,
        $decimal: rest.decimalComma ? "comma" : undefined,
        $skip: rest.skip?.join(","),
      };
      const headers = { ...(await authorization()), "Content-Type": mediaTypes[format] };
      const onSent = onProgress && ((bytes: number) => onProgress(body.size === 0 ? 1 : bytes / body.size));
      const sent = sendForm(urlOf(table, query), body, {
        headers,
        onSent,
        signal,
        fetch: send as typeof fetch,
      });
      const response = await overNetwork(sent, signal);
      if (!response.ok) throw await ProblemError.from(response);
      return ((await response.json()) as AffectedRowsAnswer).data.affected_rows;
    },
    exportFile: (table, { format = "csv", safe, filters, signal } = {}) =>
      download(urlOf(table, { ...filters, $safe: safe ? "true" : undefined }), mediaTypes[format], signal),
    async *exportRows(table, { filters, signal } = {}) {
      const body = await download(urlOf(table, { ...filters }), mediaTypes.ndjson, signal);
      for await (const line of linesOf(body)) yield JSON.parse(line) as Row;
    },
  };
}

/** Lines that end with a line feed. Cancels the stream if nobody wants the rest. */
async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const utf8 = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + utf8.decode(value, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
