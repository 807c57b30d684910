/** Client, uploader and receiver against a listening server. */
import { afterAll, expect, test } from "bun:test";
import {
  createClient,
  createUploader,
  FileRefused,
  inPlainWords,
  ProblemError,
  receiveFile,
} from "../../sdk/src/index.ts";
import { startServer } from "../support/server.ts";

const server = await startServer();
afterAll(() => server.stop());
const baseUrl = server.url;
const bytes = await Bun.file(new URL("../fixtures/content/cairo.pdf", import.meta.url)).bytes();
const pdf = (name = "contract.pdf") => new File([bytes], name, { type: "application/pdf" });
const login = async () =>
  createUploader({ baseUrl, token: await server.token(), tenant: "tenant-1", processKey: "loan" });

test("a file is uploaded with progress, replaced, finalized, and received once", async () => {
  const uploader = await login();
  const progress: number[] = [];
  const first = await uploader.upload(pdf(), {
    fieldName: "contract",
    onProgress: (part) => progress.push(part),
  });
  expect(progress.at(-1)).toBe(1);
  const second = await uploader.upload(pdf(), { fieldName: "contract", replaces: first.attachment_id });
  const { attachment_id } = second;
  expect(await uploader.finalize([attachment_id], { processInstanceId: "4711" })).toMatchObject({
    committed: [attachment_id],
  });
  const { engine } = createClient({ baseUrl, token: () => server.token({ roles: ["engine"] }) });
  const { urls } = await engine.issueDownloadUrls({
    downloadUrlRequest: { tenant_id: 1, process_instance_id: "4711", attachment_ids: [attachment_id] },
  });
  const url = urls[0]?.url ?? "";
  const file = await receiveFile(url);
  expect([file.name, file.type, await file.bytes()]).toEqual(["contract.pdf", "application/pdf", bytes]);
  expect(receiveFile(url)).rejects.toMatchObject({ code: "used_or_expired" });
  expect(uploader.finalize([first.attachment_id])).rejects.toMatchObject({
    code: "not_committed",
    status: 409,
  });
});

test("an upload still succeeds if the file that it replaces cannot be removed", async () => {
  const uploader = await login();
  const { attachment_id } = await uploader.upload(pdf(), { fieldName: "contract" });
  await uploader.finalize([attachment_id], { processInstanceId: "4712" });
  const second = await uploader.upload(pdf("second.pdf"), { fieldName: "contract", replaces: attachment_id });
  expect(second.file_name).toBe("second.pdf");
  expect(uploader.remove(attachment_id)).rejects.toMatchObject({ status: 409 });

  const cutOff = createUploader({
    baseUrl,
    token: await server.token(),
    tenant: "tenant-1",
    processKey: "loan",
    fetch: ((url: string, init?: RequestInit) =>
      init?.method === "DELETE"
        ? Promise.reject(new TypeError("no network"))
        : fetch(url, init)) as typeof fetch,
  });
  const replaces = second.attachment_id;
  const third = await cutOff.upload(pdf("third.pdf"), { fieldName: "contract", replaces });
  expect(third.file_name).toBe("third.pdf");
});

test("a visitor uploads and removes with only the form token", async () => {
  const { formSessions } = createClient({
    baseUrl,
    token: await server.token(),
    tenant: { slug: "tenant-1" },
  });
  const { embed_id } = await formSessions.createEmbed({ newEmbed: { process_key: "loan" } });
  const { form_token } = await formSessions.createFormSession({ newFormSession: { embed_id } });
  const visitor = createUploader({ baseUrl, formToken: form_token });
  const { attachment_id } = await visitor.upload(pdf(), { fieldName: "contract", onProgress: () => {} });
  await visitor.remove(attachment_id);
  await visitor.remove(attachment_id);
});

test("the limits are known in advance, and their messages are plain", async () => {
  const uploader = await login();
  expect(await uploader.limits()).toMatchObject({ maxBytes: 10 * 1024 * 1024 });
  const wrong = await uploader.upload(pdf("run.exe"), { fieldName: "contract" }).catch((error) => error);
  expect(wrong).toBeInstanceOf(FileRefused);
  expect(inPlainWords(wrong)).toBe("Only these files are allowed: jpg, jpeg, png, pdf, docx, xlsx.");
  const damaged = new File(["%PDF-1.7"], "x.pdf", { type: "application/pdf" });
  const refusal = await uploader.upload(damaged, { fieldName: "contract" }).catch((error) => error);
  expect(refusal).toBeInstanceOf(ProblemError);
  expect(inPlainWords(refusal)).toStartWith("The PDF");
});

test("an aborted upload throws its reason, and a missing connection has a plain message", async () => {
  const aborted = await (await login())
    .upload(pdf(), { fieldName: "contract", signal: AbortSignal.abort() })
    .catch((error) => error);
  expect(inPlainWords(aborted)).toBe("The upload was stopped.");
  const nowhere = createUploader({ baseUrl: "http://127.0.0.1:9", formToken: "x" });
  expect(inPlainWords(await nowhere.limits().catch((error) => error))).toContain("could not be reached");
});

test("a missing file is refused without a request, and only connection faults are called that", async () => {
  const asked: string[] = [];
  const nowhere = (async (url: string) => {
    asked.push(url);
    throw new TypeError("Failed to fetch");
  }) as unknown as typeof fetch;
  const offline = createUploader({ baseUrl, formToken: "x", fetch: nowhere });
  const none = await offline.upload(undefined, { fieldName: "contract" }).catch((error) => error);
  expect(none).toMatchObject({ name: "FileRefused", code: "no_file" });
  expect(asked).toEqual([]);
  const connection = await offline.upload(pdf(), { fieldName: "contract" }).catch((error) => error);
  expect(connection).toBeInstanceOf(TypeError);

  const uploader = await login();
  await uploader.limits();
  const reason = new Error("the tab was left");
  const left = await uploader
    .upload(pdf(), { fieldName: "contract", signal: AbortSignal.abort(reason) })
    .catch((error) => error);
  expect(left).toBe(reason);
  const late = new DOMException("too late", "TimeoutError");
  expect([none, connection, left, late, new TypeError("a bug"), "thrown"].map(inPlainWords)).toEqual([
    "Choose a file first.",
    "The server could not be reached. Check the connection and try again.",
    "The upload did not succeed. Try again.",
    "The upload took too long. Try again.",
    "The upload did not succeed. Try again.",
    "The upload did not succeed. Try again.",
  ]);
});

test("every class of the client throws a ProblemError if the server refuses", async () => {
  const { tables } = createClient({ baseUrl, token: await server.token(), tenant: { id: 1 } });
  expect(tables.getTable({ table: "missing" })).rejects.toMatchObject({
    name: "ProblemError",
    code: "table_not_found",
    status: 404,
  });
});
