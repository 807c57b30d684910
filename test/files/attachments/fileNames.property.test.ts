/** A file's name comes back as it went in, whatever it is made of, and never as anything but a name. */
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

/** Where names have gone wrong before: quoting, escaping, header syntax, direction, composition, what is trimmed. */
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

/** Taken out of a name: what cannot be seen. */
const isInvisible = (sign: string) =>
  /[\p{Cf}\u115f\u1160\u3164\uffa0]/u.test(sign) && !["\u200c", "\u200d"].includes(sign);

/** Not in a name: folders, U+0000, and what form-data itself cannot tell from a quote and a line break. */
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

/** What a receiver reads from the header, by RFC 8187. */
function nameIn(disposition: string): string {
  const form = /^attachment; filename="[^"\\%\x00-\x1f\x7f]*"; filename\*=UTF-8''([\w!#$&+.^`|~%-]*)$/;
  return decodeURIComponent(form.exec(disposition)?.[1] ?? "");
}

const eachEdge = edges.map((edge): [string] => [`${edge}.png`]).filter(([name]) => isName(name));

test("a name that a browser sends comes back whole, in the metadata and in the download's header", async () => {
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

/** Sends the file with its name in a header that the test writes. */
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
test.each(Object.entries(curl))("a name that is sent by %s comes back whole", async (how, written) => {
  const sendable = how.includes("before") ? withoutLineBreaks : names;
  await fc.assert(
    fc.asyncProperty(sendable, async (name) => {
      expect((await send(`filename="${written(name)}"`)).body).toMatchObject({ file_name: name });
    }),
    { seed: 20260904, numRuns: 60, examples: eachEdge.filter(([name]) => !/[\r\n]/.test(name)) },
  );
});

test("a name in RFC 8187's form, and one without quotes, is read too", async () => {
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
])("what stands before a slash or a backslash is a folder, and is left out: %s", async (sent, kept) => {
  expect((await send(`filename="${sent}"`)).body).toMatchObject({ file_name: kept });
});

test.each([
  ["ASCII", "x"],
  ["two bytes a sign", "é"],
  ["three", "語"],
  ["four", "👍"],
])("a name of 255 bytes is taken, one of 256 is a 400 that says so: %s", async (_what, sign) => {
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

test("what cannot be seen comes out of a name; joiners and format characters with a shape stay", async () => {
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

test("U+0000 in a name is a 400 that says so", async () => {
  for (const parameters of ['filename="a\0.png"', "filename*=UTF-8''a%00.png"]) {
    const refused = await send(parameters);
    expect(refused).toMatchObject({ status: 400, code: "file_name_invalid" });
    expect(refused.body.message).toBe("The file name cannot be used. It is not valid text.");
  }
});

test("on the wire, a name with line breaks stays in its one header line of ASCII", async () => {
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
