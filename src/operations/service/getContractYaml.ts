import { stringify } from "yaml";
import contract from "../../generated/openapi.json";
import type { Handler } from "../../handler.ts";
import { Problem } from "../../infrastructure/problem.ts";

const yaml = stringify(contract, { aliasDuplicateObjects: false });

export const getContractYaml: Handler<"getContractYaml"> = (_request, { config }) => {
  if (!config.openapi) throw new Problem("route_not_found");
  return { status: 200, body: yaml };
};
