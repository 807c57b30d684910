import contract from "../../generated/openapi.json";
import type { Handler } from "../../handler.ts";
import { Problem } from "../../infrastructure/problem.ts";

const jsonText = JSON.stringify(contract);

export const getContractJson: Handler<"getContractJson"> = (_request, { config }) => {
  if (!config.openapi) throw new Problem("route_not_found");
  return { status: 200, body: { jsonText } };
};
