/**
 * What one process remembers between requests. `wire` makes one of these, and each topic keeps its own cache in it.
 *
 * A topic describes its cache once and takes it by that description, so this file does not know what is remembered.
 */
export interface CacheDescription<Cache extends object> {
  /** Makes the empty cache. Called on first use. */
  readonly create: () => Cache;
}

export interface Caches {
  /** The cache that belongs to the description: the same one every time. */
  of<Cache extends object>(description: CacheDescription<Cache>): Cache;
}

export function createCaches(): Caches {
  const caches = new Map<CacheDescription<object>, object>();
  return {
    of: <Cache extends object>(description: CacheDescription<Cache>): Cache => {
      const cache = caches.get(description) ?? description.create();
      caches.set(description, cache);
      return cache as Cache;
    },
  };
}
