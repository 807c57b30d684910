/** The name of a file comes back unchanged, whatever its characters, and is never taken for anything but a name. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { fixture, fixtureBytes, freshUser, upload, uploadPath } from "../../support/attachments.ts";
import { openRaw } from "../../support/rawHttp.ts";
import { end, fields, part } from "../../support/rawUpload.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { type Answer, answerOf } from "../../support/tables.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const png = await fixtureBytes("pillow.png");
const byteLength = (text: string) => new TextEncoder().encode(text).length;

/** What often breaks names: quoting, escaping, header syntax, direction, composition, trimming. */
const edges = [
  ...[
    '"',
    "'",
    "%",
    "%2",
    "%25",
    "%41",
    "%E9",
    ";",
    "; filename=x",
    "=",
    "*",
    ",",
    ":",
    "?",
    "<>|&",
    "$(id)",
    "`",
  ],
  ...["\r", "\n", "\r\n\r\n", "\t", " ", "  ", ".", "..", "\u00a0", "\u0085", "\u2028", "\u007f", "\u0001"],
  ...["\ufffd", "é", "e\u0301", "ß", "İ", "日本語", "ไทย", "العربية", "हिन्दी"],
  ...[
    "👩‍👩‍👧",
    "🏳️‍🌈",
    "\u{10ffff}",
    "＂",
    "％",
    "\uff3c",
    "__proto__",
    "filename*=UTF-8''x",
    "=?utf-8?q?x?=",
  ],
];
const pieces = fc.oneof(
  fc.constantFrom(...edges),
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.string({ unit: "grapheme", maxLength: 12 }),
);

/** Invisible characters, which are removed from a name. */
const isInvisible = (sign: string) =>
  /[\p{Cf}\u115f\u1160\u3164\uffa0]/u.test(sign) && !["\u200c", "\u200d"].includes(sign);

/** Excludes folders, U+0000, and what form-data cannot tell from a quote or a line break. */
const isName = (name: string) =>
  name.isWellFormed() &&
  ![...name].some(isInvisible) &&
  !/[/\\\0]|%22|%0[ad]/i.test(name) &&
  byteLength(name) <= 255;
const names = fc
  .array(pieces, { maxLength: 8 })
  .map((all) => `${all.join("")}.png`)
  .filter(isName);

async function dispositionOf(id: string, user: string): Promise<string> {
  const authorization = `Bearer ${await server.token({ user, roles: ["member"] })}`;
  const headers = { authorization, "x-active-tenant": "tenant-1" };
  const response = await server.request(`/api/v1/probis/form-attachments/${id}/download`, { headers });
  expect(response.status).toBe(200);
  await response.arrayBuffer();
  return response.headers.get("content-disposition") ?? "";
}

/** The name that a receiver reads from the header (RFC 8187). */
function nameIn(disposition: string): string {
  const form = /^attachment; filename="[^"\\%\x00-\x1f\x7f]*"; filename\*=UTF-8''([\w!#$&+.^`|~%-]*)$/;
  return decodeURIComponent(form.exec(disposition)?.[1] ?? "");
}

const eachEdge = edges.map((edge): [string] => [`${edge}.png`]).filter(([name]) => isName(name));

test("a name that a browser sends comes back unchanged in the metadata and in the download's header", async () => {
  await fc.assert(
    fc.asyncProperty(names, async (name) => {
      const user = freshUser();
      const file = await fixture("pillow.png", { as: name });
      const metadata = await upload(server, { by: { user, roles: ["member"] }, file });
      expect(metadata.file_name).toBe(name);
      expect(nameIn(await dispositionOf(metadata.attachment_id, user))).toBe(name);
    }),
    { seed: 20260904, numRuns: 100, examples: eachEdge },
  );
});

/** Sends the file with these parameters in its header. */
async function send(parameters: string, user = freshUser()): Promise<Answer> {
  const head = `Content-Disposition: form-data; name="file"; ${parameters}\r\nContent-Type: image/png`;
  const authorization = `Bearer ${await server.token({ user, roles: ["member"] })}`;
  const headers = {
    authorization,
    "x-active-tenant": "tenant-1",
    "content-type": 'multipart/form-data; boundary="waybill-boundary"',
  };
  const body = Buffer.concat([...fields, part(head, png), end]);
  return answerOf(await server.request(uploadPath, { method: "POST", headers, body }));
}

const withoutLineBreaks = names.filter((name) => !/[\r\n]/.test(name));

const curl = {
  "curl, which writes a quote as %22": (name: string) =>
    name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A"),
  "curl before 7.81, which writes it with a backslash": (name: string) => name.replaceAll(/["\\]/g, "\\$&"),
};
test.each(Object.entries(curl))("a name that is sent by %s comes back unchanged", async (how, written) => {
  const sendable = how.includes("before") ? withoutLineBreaks : names;
  await fc.assert(
    fc.asyncProperty(sendable, async (name) => {
      expect((await send(`filename="${written(name)}"`)).body).toMatchObject({ file_name: name });
    }),
    { seed: 20260904, numRuns: 60, examples: eachEdge.filter(([name]) => !/[\r\n]/.test(name)) },
  );
});

test("names in the form of RFC 8187 and names without quotes are read", async () => {
  await fc.assert(
    fc.asyncProperty(withoutLineBreaks, async (name) => {
      const encoded = encodeURIComponent(name).replaceAll(
        /['()*]/g,
        (sign) => `%${sign.charCodeAt(0).toString(16)}`,
      );
      expect((await send(`filename*=UTF-8''${encoded}`)).body).toMatchObject({ file_name: name });
    }),
    { seed: 20260904, numRuns: 40 },
  );
  expect((await send("filename=plain.png")).body).toMatchObject({ file_name: "plain.png" });
});

test.each([
  ["/etc/passwd.png", "passwd.png"],
  ["../../../a.png", "a.png"],
  ["C:\\fakepath\\a.png", "a.png"],
  ["C:\\\\fakepath\\\\a.png", "a.png"],
  ["\\\\server\\share\\a.png", "a.png"],
  ["a/b\\c/d.png", "d.png"],
  ["folder/.png", ".png"],
])("folders before a slash or a backslash are removed: %s", async (sent, kept) => {
  expect((await send(`filename="${sent}"`)).body).toMatchObject({ file_name: kept });
});

test.each([
  ["ASCII", "x"],
  ["two bytes a sign", "é"],
  ["three", "語"],
  ["four", "👍"],
])("a name of 255 bytes is accepted, one of 256 answers 400 with the limit: %s", async (_what, sign) => {
  const room = 255 - byteLength(".png");
  const fits = `${sign.repeat(Math.floor(room / byteLength(sign)))}${"y".repeat(room % byteLength(sign))}.png`;
  expect(byteLength(fits)).toBe(255);
  expect((await send(`filename="${fits}"`)).body).toMatchObject({ file_name: fits });
  const refused = await send(`filename="z${fits}"`);
  expect(refused).toMatchObject({ status: 400, code: "file_name_invalid" });
  expect(refused.body.message).toBe(
    "The file name cannot be used. It has 256 bytes; at most 255 are allowed.",
  );
});

test("invisible characters are removed; joiners and format characters with a shape stay", async () => {
  const marks = [
    "\u202a",
    "\u202e",
    "\u2066",
    "\u2069",
    "\u200e",
    "\u200f",
    "\u061c",
    "\ufeff",
    "\u200b",
    "\u3164",
  ];
  for (const mark of marks)
    expect(
      (await send(`filename*=UTF-8''${encodeURIComponent(`sc${mark}an${mark}.png`)}`)).body,
    ).toMatchObject({
      file_name: "scan.png",
    });
  for (const kept of ["👩‍👩‍👧", "می\u200cخواهم", "\u06dd"])
    expect((await send(`filename*=UTF-8''${encodeURIComponent(`${kept}.png`)}`)).body).toMatchObject({
      file_name: `${kept}.png`,
    });
  expect((await send(`filename*=UTF-8''${encodeURIComponent("scan\u202egnp.exe")}`)).code).toBe(
    "extension_not_allowed",
  );
});

test("U+0000 in a name answers 400 with the reason", async () => {
  for (const parameters of ['filename="a\0.png"', "filename*=UTF-8''a%00.png"]) {
    const refused = await send(parameters);
    expect(refused).toMatchObject({ status: 400, code: "file_name_invalid" });
    expect(refused.body.message).toBe("The file name cannot be used. It is not valid text.");
  }
});

test("a name with line breaks is sent as one header line of ASCII", async () => {
  const user = freshUser();
  const { body } = await send('filename="a%0D%0ASet-Cookie: x=1%0D%0A%0D%0A<script>\u2028é.png"', user);
  expect(body.file_name).toBe("a\r\nSet-Cookie: x=1\r\n\r\n<script>\u2028é.png");
  const connection = await openRaw(server.url);
  const head = [
    `GET /api/v1/probis/form-attachments/${body.attachment_id}/download HTTP/1.1`,
    "Host: localhost",
    `Authorization: Bearer ${await server.token({ user, roles: ["member"] })}`,
    "x-active-tenant: tenant-1",
    "Connection: close",
  ];
  connection.send(`${head.join("\r\n")}\r\n\r\n`);
  await connection.closed();
  const [answered = ""] = connection.received().split("\r\n\r\n");
  expect(answered).toMatch(/^[\x20-\x7e\r\n]*$/);
  expect(answered.split("\r\n").filter((line) => /^(set-cookie|<script)/i.test(line))).toEqual([]);
  expect(answered).toContain('filename="a__Set-Cookie: x=1____<script>_e.png"');
});
