import type { Handler } from "../../handler.ts";
import { findAddons } from "../../processes/addons.ts";

export const listAddons: Handler<"listAddons"> = async ({ caller }, { sql }) => ({
  status: 200,
  body: { addons: await findAddons(sql, caller.tenant.id) },
});
