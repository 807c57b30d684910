/** A stored file goes out. */
import type { Infrastructure } from "../../infrastructure/infrastructure.ts";
import type { ProblemCode } from "../../infrastructure/problem.ts";
import { type FileRecord, objectKey } from "../fileKind.ts";
import { fileHeaders, holdRoom, openFile } from "../send.ts";
import { storedFiles } from "./queries.ts";

/** Throws what `openFile` throws. */
export async function sendStoredFile(
  parts: Infrastructure,
  file: FileRecord,
  { gone }: { readonly gone: ProblemCode },
) {
  const release = await holdRoom(parts, file);
  const body = await openFile(parts, file, { key: objectKey(storedFiles, file), gone, release });
  return { status: 200, headers: fileHeaders(file), body } as const;
}
