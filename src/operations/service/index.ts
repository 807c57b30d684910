/** For operators and tools: health, readiness and the contract. Needs no credentials and reveals no secrets. */
import type { HandlersOf } from "../../handler.ts";
import { getContractJson } from "./getContractJson.ts";
import { getContractYaml } from "./getContractYaml.ts";
import { getHealth } from "./getHealth.ts";
import { getReadiness } from "./getReadiness.ts";

export const service = {
  getHealth,
  getReadiness,
  getContractJson,
  getContractYaml,
} satisfies HandlersOf<"service">;
