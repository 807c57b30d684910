/**
 * Queries that are made when they run, because their connection is not known before.
 *
 * A query of postgres.js belongs to the client that made it. Here the caller gets a promise instead. Once somebody
 * waits for it, the query is made and run on the connection that the pool lends. A query inside of another one is a
 * part of it, and is made on the same connection.
 */
import type postgres from "postgres";

type AnySql = postgres.Sql | postgres.TransactionSql;
type Pending = postgres.PendingQuery<postgres.Row[]>;
/** Makes a query on a connection. */
export type Make = (sql: AnySql) => Pending;
/** Finds a connection for a query, and runs it there. */
export type Execute = (make: Make) => Promise<unknown>;

/** The parts of a `PendingQuery` that Waybill uses: a promise, a fragment, and `simple`. */
class DeferredQuery extends Promise<unknown> {
  readonly #settle: (result: Promise<unknown>) => void;
  readonly #execute: Execute;
  #make: Make;
  #isRunning = false;

  constructor(execute: Execute, make: Make) {
    let settle = (_: Promise<unknown>) => {};
    super((resolve) => {
      settle = resolve;
    });
    this.#settle = settle;
    this.#execute = execute;
    this.#make = make;
  }

  /** What `then` returns is an ordinary promise. */
  static override get [Symbol.species]() {
    return Promise;
  }

  /** As a part of a query on this connection. */
  on(sql: AnySql): Pending {
    return this.#make(sql);
  }

  /** Uses the simple protocol, in which one text may hold several statements. */
  simple(): this {
    const make = this.#make;
    this.#make = (sql) => make(sql).simple() as unknown as Pending;
    return this;
  }

  // biome-ignore lint/suspicious/noThenProperty: a query runs when somebody waits for it, as in postgres.js.
  override then<A = unknown, B = never>(
    onFulfilled?: ((value: unknown) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    if (!this.#isRunning) this.#settle(this.#execute(this.#make));
    this.#isRunning = true;
    return super.then(onFulfilled, onRejected);
  }
}

/** `sql` with its queries run by `execute`, and with these members in place of its own. */
export function defer<T extends AnySql, M extends object>(sql: T, execute: Execute, members: M): T & M {
  const replaced: Record<PropertyKey, unknown> = {
    unsafe: (...args: Parameters<AnySql["unsafe"]>) => new DeferredQuery(execute, (on) => on.unsafe(...args)),
    ...members,
  };
  const call = sql as unknown as (...args: readonly unknown[]) => Pending;
  return new Proxy(sql, {
    apply: (_target, _self, args) => {
      const [strings, ...values] = args;
      if (!isTemplate(strings)) return call(...args);
      return new DeferredQuery(execute, (on) => on(strings, ...(partsOn(on, values) as never[])));
    },
    get: (target, name) => replaced[name] ?? Reflect.get(target, name),
  }) as T & M;
}

const isTemplate = (value: unknown): value is TemplateStringsArray => Array.isArray(value) && "raw" in value;

function partsOn(sql: AnySql, values: readonly unknown[]): unknown[] {
  return values.map((value) => {
    if (value instanceof DeferredQuery) return value.on(sql);
    return Array.isArray(value) && value[0] instanceof DeferredQuery ? partsOn(sql, value) : value;
  });
}
