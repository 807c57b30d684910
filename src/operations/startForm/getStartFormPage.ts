import { findAllowedOrigins } from "../../forms/embeds.ts";
import { pageAssets } from "../../forms/startForm/assets.ts";
import { pageHeaders, pageOfNoForm, pageOfStartForm } from "../../forms/startForm/html.ts";
import type { Handler } from "../../handler.ts";
import { Problem } from "../../infrastructure/problem.ts";

export const getStartFormPage: Handler<"getStartFormPage"> = async ({ params }, { sql }) => {
  const { names } = await pageAssets();
  const origins = await findAllowedOrigins(sql, params.embed_id);
  if (!origins) throw new Problem("embed_not_found", { page: pageOfNoForm(names), headers: pageHeaders([]) });
  return { status: 200, body: pageOfStartForm(names), headers: pageHeaders(origins) };
};
