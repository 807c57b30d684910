/** The client for every operation of Waybill, generated from its contract. */
export * from "./generated/index.ts";
