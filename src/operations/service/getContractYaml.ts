import { stringify } from "yaml";
import contract from "../../generated/openapi.json";
import type { Handler } from "../../handler.ts";
import { Problem } from "../../infrastructure/problem.ts";

/** Written when first asked for: it takes a quarter of the time in which a process loads all of its code. */
let yaml: string | undefined;

export const getContractYaml: Handler<"getContractYaml"> = (_request, { config }) => {
  if (!config.openapi) throw new Problem("route_not_found");
  yaml ??= stringify(contract, { aliasDuplicateObjects: false });
  return { status: 200, body: yaml };
};
