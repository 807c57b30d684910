/** Generated secrets of a self-contained instance. They are kept in DATA_DIR, readable only by this account. */
import { randomBytes } from "node:crypto";
import { link, mkdir, open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";

/** The secret of this name, generated on first use. Two processes that start at once get the same one. */
export async function storedSecret(dataDir: string, name: string): Promise<string> {
  const folder = join(dataDir, "secrets");
  const file = join(folder, name);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return (await readIfThere(file)) ?? (await create(file)) ?? (await readFile(file, "utf8"));
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Creates the file whole or not at all: it is written under another name and linked into place. Returns undefined if
 * another process was first.
 */
async function create(file: string): Promise<string | undefined> {
  const secret = randomBytes(32).toString("base64url");
  const draft = `${file}.${process.pid}`;
  const handle = await open(draft, "w", 0o600);
  await handle.writeFile(secret);
  await handle.sync();
  await handle.close();
  try {
    await link(draft, file);
    return secret;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return undefined;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}
