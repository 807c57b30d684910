/** Folders that hold people's files: nobody else on the machine may look into them. */
import { chmod, mkdir, opendir, stat } from "node:fs/promises";
import { join } from "node:path";

export const privateFolderMode = 0o700;
export const privateFileMode = 0o600;

/** Makes the folder, and those above it, where they are missing. */
export const makePrivateFolder = (path: string) =>
  mkdir(path, { recursive: true, mode: privateFolderMode }).then(() => {});

/**
 * Takes the rights of others away from a folder that an earlier version made, and from all in it. The folder itself
 * comes last, so that a start that broke off is repeated; one that is private already costs one look.
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
