import contract from "../generated/openapi.json";
import type { Handler } from "../handler.ts";

const jsonText = JSON.stringify(contract);

export const getContractJson: Handler<"getContractJson"> = () => ({ status: 200, body: { jsonText } });
