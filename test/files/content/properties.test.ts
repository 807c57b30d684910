import { expect, test } from "bun:test";
import fc from "fast-check";
import { allowedExtensions } from "../../../src/files/content/allowedTypes.ts";
import { fixture, inspect } from "../../support/inspectContent.ts";

/** One of each format and way of writing. They are small, because each run writes a file. */
const good = [
  "imagemagick.jpg",
  "libjpeg-progressive.jpg",
  "pillow-multi-picture.jpg",
  "ffmpeg-motion-photo.jpg",
  "imagemagick.png",
  "ffmpeg-animated.png",
  "ghostscript.pdf",
  "qpdf-linearized.pdf",
  "qpdf-object-streams.pdf",
  "chromium.pdf",
  "poi.docx",
  "infozip-streamed.docx",
  "poi-streamed.xlsx",
  "infozip-zip64.docx",
];

/** A multi-picture or motion photo that is cut after a picture, or one byte later, is a complete JPEG. */
const wholeWhenCut: Readonly<Record<string, (bytes: Buffer, length: number) => boolean>> = {
  "pillow-multi-picture.jpg": (bytes, length) =>
    /\xff\xd9[\0\xff]*$/.test(bytes.toString("latin1", 0, length)),
  "ffmpeg-motion-photo.jpg": movieBoundary,
};

function movieBoundary(bytes: Buffer, length: number): boolean {
  for (let at = bytes.indexOf("ftyp") - 4; at < length; at += bytes.readUInt32BE(at)) {
    if (length - at <= 4 && bytes.subarray(at, length).every((byte) => byte === 0)) return true;
    if (at + bytes.readUInt32BE(at) === length) return true;
  }
  return bytes.indexOf("ftyp") - 4 === length;
}

for (const name of good) {
  const bytes = fixture(name);
  const content = /\s*$/.exec(bytes.toString("latin1"))?.index ?? bytes.length;

  test(`${name}: truncated anywhere, it is refused`, async () => {
    const length = fc.integer({ min: 0, max: content - 1 });
    await fc.assert(
      fc.asyncProperty(length, async (kept) => {
        fc.pre(!wholeWhenCut[name]?.(bytes, kept));
        expect(await inspect(bytes.subarray(0, kept), name)).not.toBe("accepted");
      }),
      { numRuns: 150 },
    );
  });

  test(`${name}: with any bytes changed, it is accepted or refused with a code`, async () => {
    const change = fc.record({ at: fc.nat({ max: bytes.length - 1 }), to: fc.nat({ max: 255 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        const changed = Buffer.from(bytes);
        for (const { at, to } of changes) changed[at] = to;
        expect(await inspect(changed, name)).toBeString();
      }),
      { numRuns: 150 },
    );
  });
}

test("random bytes are refused with every extension, also after each format's first bytes", async () => {
  const starts = ["", "ffd8ffe0", "89504e470d0a1a0a", "255044462d312e37", "504b0304", "d0cf11e0a1b11ae1"];
  const random = fc.tuple(fc.constantFrom(...starts), fc.uint8Array({ maxLength: 2_000 }));
  await fc.assert(
    fc.asyncProperty(random, fc.constantFrom(...allowedExtensions), async ([start, rest], ending) => {
      const bytes = Buffer.concat([Buffer.from(start, "hex"), rest]);
      expect(await inspect(bytes, `a.${ending}`)).not.toBe("accepted");
    }),
    { numRuns: 500 },
  );
});
