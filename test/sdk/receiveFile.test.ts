/** The SDK's receiver in the conformance kit, in memory and to disk, and its error codes. */
import { expect, test } from "bun:test";
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { receiveFileTo } from "../../sdk/src/disk.ts";
import { ReceiveError, receiveFile } from "../../sdk/src/index.ts";
import { cases } from "./receiverKit/cases.ts";
import { checkReceiver } from "./receiverKit/checkReceiver.ts";
import { startIssuer } from "./receiverKit/issuer.ts";

const allGood = cases.map(({ name }) => ({ name, faults: [] }));
const refused = (error: unknown) => {
  if (error instanceof ReceiveError) return undefined;
  throw error;
};
const codeOf = (receiving: Promise<unknown>) =>
  receiving.then(
    () => "received",
    (error) => (error instanceof ReceiveError ? error.code : error),
  );

test("receiveFile passes every case of the conformance kit", async () => {
  expect(await checkReceiver((value) => receiveFile(value).then((file) => file.bytes(), refused))).toEqual(
    allGood,
  );
});

test("receiveFileTo passes too, and leaves nothing behind after a refusal", async () => {
  const folder = await mkdtemp(join(tmpdir(), "receive-"));
  let count = 0;
  const verdicts = await checkReceiver(async (value) => {
    const path = join(folder, String(count++));
    return receiveFileTo(value, path).then(() => readFile(path), refused);
  });
  expect(verdicts).toEqual(allGood);
  expect(await readdir(folder)).toHaveLength(cases.filter(({ content }) => content).length);
  await rm(folder, { recursive: true });
});

test("receiveFileTo checks the path before it uses the link, and replaces only files", async () => {
  const folder = await mkdtemp(join(tmpdir(), "receive-"));
  const issuer = await startIssuer();
  const at = (name: string) => join(folder, name);
  await mkdir(at("folder"));
  await writeFile(at("earlier"), "what stood there before");
  await symlink(at("earlier"), at("link"));
  await symlink(at("nowhere"), at("dangling"));
  expect(await Bun.spawn(["mkfifo", at("pipe")]).exited).toBe(0);
  const before = await readdir(folder);
  const refusals: Record<string, string> = {};
  for (const name of [
    "missing/file",
    "earlier/file",
    "folder",
    "link",
    "dangling",
    "pipe",
    "x".repeat(256),
  ]) {
    const refusal = await receiveFileTo(issuer.valueOf("download"), at(name)).catch((error) => error);
    expect(refusal).toMatchObject({ name: "ReceiveError", code: "not_writable" });
    refusals[name] = refusal.message;
  }
  expect(refusals.link).toContain("is a symlink");
  expect(refusals.pipe).toContain("is not a regular file");
  expect(refusals["missing/file"]).toContain("ENOENT");
  expect(issuer.seen("download")).toEqual([]);
  expect(await readdir(folder)).toEqual(before);
  expect((await lstat(at("pipe"))).isFIFO()).toBe(true);

  const longest = "x".repeat(255);
  await receiveFileTo(issuer.valueOf("download"), at(longest));
  await receiveFileTo(issuer.valueOf("odd-name"), at("earlier"));
  expect((await readFile(at("earlier"))).equals(await readFile(at(longest)))).toBe(true);
  expect(await readdir(folder)).toHaveLength(before.length + 1);
  await issuer.stop();
  await rm(folder, { recursive: true });
});

test("a receiver that asks HEAD first, retries or ignores the digest fails the kit", async () => {
  const careless = await checkReceiver(async (value) => {
    if (!value.startsWith("http")) return new Uint8Array();
    await fetch(value, { method: "HEAD" });
    const response = await fetch(value).catch(() => undefined);
    return response?.ok ? response.bytes() : undefined;
  });
  expect(careless.filter(({ faults }) => faults.length > 0).map(({ name }) => name)).toEqual(
    cases.map(({ name }) => name),
  );
});

test("each refusal has its own code", async () => {
  const issuer = await startIssuer();
  const codes: Record<string, unknown> = {};
  for (const { name, content } of cases)
    if (!content) codes[name] = await codeOf(receiveFile(issuer.valueOf(name)));
  expect(codes).toEqual({
    "no-file": "no_file",
    "no-file-blank": "no_file",
    "used-or-expired": "used_or_expired",
    "not-found": "not_found",
    "not-configured": "not_configured",
    truncated: "truncated",
    "wrong-digest": "digest_mismatch",
    redirect: "redirected",
  });
  expect(await codeOf(receiveFile(issuer.valueOf("download"), { maxBytes: 10 }))).toBe("too_large");
  expect(await codeOf(receiveFile(issuer.valueOf("base64"), { maxBytes: 10 }))).toBe("too_large");
  await issuer.stop();
  expect(await codeOf(receiveFile(issuer.valueOf("download")))).toBe("unreachable");
  expect(await codeOf(receiveFile("{not base64}"))).toBe("not_base64");
  expect(await codeOf(receiveFile("https://user:secret@bank.example/x"))).toBe("bad_url");
});

test("a value that is not text is refused with a ReceiveError, in memory and on disk", async () => {
  const path = join(tmpdir(), crypto.randomUUID());
  const places: [unknown, string][] = [
    [null, "no_file"],
    [undefined, "no_file"],
    [{ attachment_id: "x", file_name: "x.pdf" }, "not_base64"],
    [["https://bank.example/x"], "not_base64"],
    [4711, "not_base64"],
  ];
  for (const [value, code] of places) {
    expect(await codeOf(receiveFile(value as string))).toBe(code);
    expect(await codeOf(receiveFileTo(value as string, path))).toBe(code);
  }
});

test("the exact name arrives, but never one that leads out of a folder", async () => {
  const issuer = await startIssuer();
  expect((await receiveFile(issuer.valueOf("odd-name"))).name).toBe('\u5408\u540c; "final" (1).pdf');
  expect((await receiveFile(issuer.valueOf("hostile-name"))).name).toBe(".._.._etc_passwd");
  await issuer.stop();
});
