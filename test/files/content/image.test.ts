import { expect, test } from "bun:test";
import { crc32 } from "node:zlib";
import { fixture, inspect } from "../../support/inspectContent.ts";
import { buildZip } from "../../support/zipBuilder.ts";

const jpeg = fixture("imagemagick.jpg");
const png = fixture("imagemagick.png");
const html = Buffer.from("<html><script>alert(1)</script></html>");
const archive = buildZip([{ name: "evil.exe", data: "MZ" }]);

const appendJpeg = (...parts: Buffer[]) => inspect(Buffer.concat([jpeg, ...parts]), "a.jpg");

test("a JPEG followed by HTML or an archive is refused", async () => {
  expect(await appendJpeg(html)).toBe("image_trailing_data");
  expect(await appendJpeg(archive)).toBe("file_ambiguous");
  expect(await appendJpeg(Buffer.alloc(40), html)).toBe("image_trailing_data");
});

test("the start of a JPEG followed by HTML is refused", async () => {
  const bytes = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), html]);
  expect(await inspect(bytes, "a.jpg", "image/jpeg")).toBe("image_truncated");
});

test("a JPEG followed by padding or pictures that cameras write is accepted", async () => {
  expect(await appendJpeg(Buffer.alloc(100_000))).toBe("accepted");
  expect(await appendJpeg(Buffer.alloc(512), fixture("libjpeg-progressive.jpg"), Buffer.alloc(3))).toBe(
    "accepted",
  );
  const filled = Buffer.alloc(70_000, 0xff);
  expect(await appendJpeg(filled)).toBe("accepted");
  expect(await appendJpeg(filled, fixture("libjpeg-progressive.jpg"))).toBe("accepted");
  expect(await appendJpeg(fixture("libjpeg-progressive.jpg").subarray(0, -2))).toBe("image_truncated");
});

test("a motion photo with a truncated or invalid clip is refused", async () => {
  const whole = fixture("ffmpeg-motion-photo.jpg");
  expect(await inspect(whole.subarray(0, -7), "a.jpg")).toBe("image_trailing_data");
  const box = Buffer.concat([Buffer.from("00000010", "hex"), Buffer.from("ftypisom0000")]);
  expect(await appendJpeg(box)).toBe("accepted");
  expect(await appendJpeg(box, html)).toBe("image_trailing_data");
});

/** A block (two zeros, type, name length, name, data), its directory, and the footer. */
function samsungRecord(distanceError = 0): Buffer {
  const block = Buffer.concat([
    Buffer.from("00000a010e000000", "hex"),
    Buffer.from("Image_UTC_Data1500000000000"),
  ]);
  const directory = Buffer.alloc(24);
  directory.write("SEFH");
  directory.writeUInt32LE(106, 4);
  directory.writeUInt32LE(1, 8);
  directory.writeUInt16LE(0x0a01, 14);
  directory.writeUInt32LE(block.length + distanceError, 16);
  directory.writeUInt32LE(block.length, 20);
  const footer = Buffer.from("0000000053454654", "hex");
  footer.writeUInt32LE(directory.length);
  return Buffer.concat([block, directory, footer]);
}

test("a Samsung phone's record after a JPEG is accepted, one with wrong lengths is refused", async () => {
  expect(await appendJpeg(samsungRecord())).toBe("accepted");
  expect(await appendJpeg(Buffer.alloc(2), samsungRecord())).toBe("accepted");
  expect(await appendJpeg(samsungRecord(1))).toBe("image_trailing_data");
  expect(await appendJpeg(html, samsungRecord())).toBe("image_trailing_data");
});

test("a vivo phone's record after a JPEG is accepted, one without its end is refused", async () => {
  const footer = Buffer.from("ffffffff1b2a39485766758493a2b1", "hex");
  expect(await appendJpeg(Buffer.from('vivo{"com.vivo.photo":1}\0'), footer)).toBe("accepted");
  expect(await appendJpeg(Buffer.from('vivo{"com.vivo.photo":1}\0'))).toBe("image_trailing_data");
});

test("a JPEG with impossible or huge dimensions is refused", async () => {
  const frame = jpeg.indexOf(Buffer.from([0xff, 0xc0]));
  const resized = (height: number, width: number) => {
    const bytes = Buffer.from(jpeg);
    bytes.writeUInt16BE(height, frame + 5);
    bytes.writeUInt16BE(width, frame + 7);
    return inspect(bytes, "a.jpg");
  };
  expect(await resized(65_535, 65_535)).toBe("image_too_large");
  expect(await resized(0, 100)).toBe("image_damaged");
  expect(await resized(10_000, 10_000)).toBe("accepted");
});

test("a JPEG with no frame, two frames, or a segment longer than the file is refused", async () => {
  const hex = (text: string) => inspect(Buffer.from(text, "hex"), "a.jpg");
  const scan = "ffda0008010100003f00";
  const frame = "ffc0000b080010001001011100";
  expect(await hex(`ffd8${frame}${scan}11ffd9`)).toBe("accepted");
  expect(await hex(`ffd8${scan}11ffd9`)).toBe("image_damaged");
  expect(await hex("ffd8ffd9")).toBe("image_damaged");
  expect(await hex(`ffd8${frame}ffd9`)).toBe("image_damaged");
  expect(await hex(`ffd8${frame}${frame}${scan}11ffd9`)).toBe("image_damaged");
  expect(await hex(`ffd8ffe0ffff${frame}${scan}11ffd9`)).toBe("image_truncated");
  expect(await hex(`ffd8ffe00001${frame}${scan}11ffd9`)).toBe("image_damaged");
  expect(await hex(`ffd8${frame}${scan}11`)).toBe("image_truncated");
});

function chunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const bytes = Buffer.alloc(body.length + 8);
  bytes.writeUInt32BE(data.length, 0);
  body.copy(bytes, 4);
  bytes.writeUInt32BE(crc32(body), body.length + 4);
  return bytes;
}

function header(width: number, height: number, rest = "0802000000"): Buffer {
  const data = Buffer.concat([Buffer.alloc(8), Buffer.from(rest, "hex")]);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  return chunk("IHDR", data);
}

const inspectPng = (...chunks: Buffer[]) => inspect(Buffer.concat([png.subarray(0, 8), ...chunks]), "a.png");
const pixels = chunk("IDAT", Buffer.from([1]));
const end = chunk("IEND");

test("a PNG followed by other data is refused", async () => {
  expect(await inspect(Buffer.concat([png, html]), "a.png")).toBe("image_trailing_data");
  expect(await inspect(Buffer.concat([png, archive]), "a.png")).toBe("file_ambiguous");
  expect(await inspect(Buffer.concat([png, Buffer.alloc(1)]), "a.png")).toBe("image_trailing_data");
});

test("an archive in the last chunk of a PNG is refused", async () => {
  const comment = Buffer.concat([Buffer.alloc(4), end]);
  const inside = buildZip([{ name: "evil.exe", data: "MZ" }], { comment });
  expect(await inspectPng(header(1, 1), pixels, chunk("teSt", inside), end)).toBe("file_ambiguous");
});

test("a PNG with huge or zero dimensions, or an unknown depth, is refused", async () => {
  expect(await inspectPng(header(1, 1), pixels, end)).toBe("accepted");
  expect(await inspectPng(header(60_000, 60_000), pixels, end)).toBe("image_too_large");
  expect(await inspectPng(header(2 ** 31, 1), pixels, end)).toBe("image_too_large");
  expect(await inspectPng(header(0, 1), pixels, end)).toBe("image_damaged");
  expect(await inspectPng(header(1, 1, "0305000000"), pixels, end)).toBe("image_damaged");
  expect(await inspectPng(header(1, 1, "0802010000"), pixels, end)).toBe("image_damaged");
});

test("a PNG with chunks that are misplaced, missing, unknown or damaged is refused", async () => {
  const one = header(1, 1);
  const text = chunk("tEXt", Buffer.from("a\0b"));
  expect(await inspectPng(one, pixels, text, pixels, end)).toBe("image_damaged");
  expect(await inspectPng(one, end)).toBe("image_damaged");
  expect(await inspectPng(one, one, pixels, end)).toBe("image_damaged");
  expect(await inspectPng(one, chunk("EVIL"), pixels, end)).toBe("image_damaged");
  expect(await inspectPng(header(1, 1, "0803000000"), pixels, end)).toBe("image_damaged");
  expect(await inspectPng(one, pixels)).toBe("image_truncated");
  const flipped = Buffer.from(text);
  flipped[9] = 0x40;
  expect(await inspectPng(one, flipped, pixels, end)).toBe("image_damaged");
});
