import { findAddons } from "../addons/queries.ts";
import type { Handler } from "../handler.ts";

export const listAddons: Handler<"listAddons"> = async ({ caller }, { sql }) => ({
  status: 200,
  body: { addons: await findAddons(sql, caller.tenant.id) },
});
