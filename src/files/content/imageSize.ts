import { ContentRejection } from "./rejection.ts";

const maxSide = 65_535;
/** Allows the pictures of a 100-megapixel camera, which decode to at most 400 MB (8-bit RGBA). */
const maxPixels = 120_000_000;

/** Refuses a small file that declares a picture too large for a receiver's memory. */
export function checkImageSize(width: number, height: number): void {
  if (width === 0 || height === 0) throw new ContentRejection("image_damaged");
  if (width > maxSide || height > maxSide || width * height > maxPixels) {
    throw new ContentRejection("image_too_large");
  }
}
