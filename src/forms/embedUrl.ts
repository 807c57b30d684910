import type { Config } from "../infrastructure/config.ts";

/** Where the form is shown; relative to the gateway where no public address is configured. */
export const embedUrl = ({ publicBaseUrl = "" }: Config, id: string) => `${publicBaseUrl}/embed/${id}`;
