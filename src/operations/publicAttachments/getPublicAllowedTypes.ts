import { allowedExtensions } from "../../files/content/allowedTypes.ts";
import type { Handler } from "../../handler.ts";

export const getPublicAllowedTypes: Handler<"getPublicAllowedTypes"> = () => ({
  status: 200,
  body: { extensions: [...allowedExtensions] },
});
