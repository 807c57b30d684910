import { ContentRejection } from "./rejection.ts";

const maxSide = 65_535;
/** A 100-megapixel camera's picture passes; it decodes to at most 400 MB (8-bit RGBA). */
const maxPixels = 120_000_000;

/** A small file can name a picture that no receiver could hold in memory. */
export function checkImageSize(width: number, height: number): void {
  if (width === 0 || height === 0) throw new ContentRejection("image_damaged");
  if (width > maxSide || height > maxSide || width * height > maxPixels) {
    throw new ContentRejection("image_too_large");
  }
}
