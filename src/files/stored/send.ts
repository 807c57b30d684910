/** A stored file goes out. */
import type { Infrastructure } from "../../infrastructure/infrastructure.ts";
import type { ProblemCode } from "../../infrastructure/problem.ts";
import { keyOf } from "../fileKind.ts";
import { fileHeaders, holdRoom, openFile } from "../send.ts";
import { type StoredFile, storedFiles } from "./queries.ts";

/** Throws what `openFile` throws. */
export async function sendStoredFile(
  parts: Infrastructure,
  file: StoredFile,
  { gone }: { readonly gone: ProblemCode },
) {
  const release = await holdRoom(parts, file);
  const body = await openFile(parts, file, { key: keyOf(storedFiles, file), gone, release });
  return { status: 200, headers: fileHeaders(file), body } as const;
}
