import { allowedExtensions } from "../../files/content/allowedTypes.ts";
import type { Handler } from "../../handler.ts";

const megabyte = 1024 ** 2;

export const getAllowedTypes: Handler<"getAllowedTypes"> = (_request, { config }) => ({
  status: 200,
  body: { extensions: [...allowedExtensions], max_size_mb: config.uploadMaxBytes / megabyte },
});
