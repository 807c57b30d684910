/**
 * The page of an embedded start form (design 11). Its data comes from the room `formSessions`, as for any other client.
 *
 * What holds here: the page's own files and nothing else run in it, and nothing on it comes from or goes to another
 * host; only the origins that the embed names may frame it.
 */
import type { HandlersOf } from "../../handler.ts";
import { getStartFormAsset } from "./getStartFormAsset.ts";
import { getStartFormPage } from "./getStartFormPage.ts";

export const startForm = { getStartFormAsset, getStartFormPage } satisfies HandlersOf<"startForm">;
