import { pageAssets } from "../../forms/startForm/assets.ts";
import type { Handler } from "../../handler.ts";
import { Problem } from "../../infrastructure/problem.ts";

/** The name contains a hash of the content, so a browser may cache the file permanently. */
export const getStartFormAsset: Handler<"getStartFormAsset"> = async ({ params }) => {
  const asset = (await pageAssets()).files.get(params.name);
  if (!asset) throw new Problem("route_not_found");
  const headers = { "Content-Type": asset.type, "Cache-Control": "public, max-age=31536000, immutable" };
  return { status: 200, body: asset.text, headers, gzip: asset.gzip };
};
