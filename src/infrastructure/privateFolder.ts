/** Folders for people's files. No other account on the machine may read them. */
import { chmod, mkdir, opendir, stat } from "node:fs/promises";
import { join } from "node:path";

export const privateFolderMode = 0o700;
export const privateFileMode = 0o600;

/** Creates the folder, and those above it, if they are missing. */
export const makePrivateFolder = (path: string) =>
  mkdir(path, { recursive: true, mode: privateFolderMode }).then(() => {});

/**
 * Removes the rights of other accounts from a folder that an earlier version made, and from everything in it. The
 * folder itself comes last, so that the next start repeats a run that broke off. A private folder costs only one
 * check.
 */
export async function makePrivate(path: string): Promise<void> {
  await makePrivateFolder(path);
  if (isPrivate(await stat(path))) return;
  for await (const entry of await opendir(path, { recursive: true }))
    await chmod(
      join(entry.parentPath, entry.name),
      entry.isDirectory() ? privateFolderMode : privateFileMode,
    ).catch(unlessGone);
  await chmod(path, privateFolderMode);
}

const isPrivate = ({ mode }: { readonly mode: number }) => (mode & 0o077) === 0;

function unlessGone(error: unknown): void {
  if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
}
