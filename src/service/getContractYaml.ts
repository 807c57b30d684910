import { stringify } from "yaml";
import contract from "../generated/openapi.json";
import type { Handler } from "../handler.ts";

const yaml = stringify(contract, { aliasDuplicateObjects: false });

export const getContractYaml: Handler<"getContractYaml"> = () => ({ status: 200, body: yaml });
