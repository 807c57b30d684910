/**
 * The page of an embedded start form (docs/decisions/reads-and-forms.md). It gets its data from the operations of
 * `formSessions`, like any other client. Its invariants:
 *
 * - Only the page's own files run in it, and it exchanges data with no other host.
 * - Only the origins that the embed names may show it in a frame.
 */
import type { HandlersOf } from "../../handler.ts";
import { getStartFormAsset } from "./getStartFormAsset.ts";
import { getStartFormPage } from "./getStartFormPage.ts";

export const startForm = { getStartFormAsset, getStartFormPage } satisfies HandlersOf<"startForm">;
