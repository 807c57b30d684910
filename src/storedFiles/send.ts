/** A stored file goes out. */
import type { Parts } from "../deps.ts";
import { keyOf } from "../files/fileKind.ts";
import { fileHeaders, holdRoom, openFile } from "../files/send.ts";
import type { ProblemCode } from "../problem.ts";
import { type StoredFile, storedFiles } from "./queries.ts";

/** Throws what `openFile` throws. */
export async function sendStoredFile(
  parts: Parts,
  file: StoredFile,
  { gone }: { readonly gone: ProblemCode },
) {
  const release = await holdRoom(parts, file);
  const body = await openFile(parts, file, { key: keyOf(storedFiles, file), gone, release });
  return { status: 200, headers: fileHeaders(file), body } as const;
}
