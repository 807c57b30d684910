/**
 * A pool in which a connection lives once: it is opened before anybody waits on it, lent to one borrower at a time,
 * and thrown away when it fails.
 *
 * Nobody waits without end: while the database is away a failed attempt fails everyone who waits for it, and a
 * borrower who finds every connection taken gives up after `waitSeconds`.
 */
import { withTimeout } from "../withTimeout.ts";

/** Connections are closed at this age, and with them everything that was prepared on them. */
export const connectionLifetimeSeconds = 30 * 60;

export interface Pooled {
  /** Set by its owner the moment the connection is lost. */
  closed: boolean;
  /** Finishes what it does, for `timeout` seconds at most. */
  end(timeout?: number): Promise<void>;
}

export interface PoolOptions {
  /** Connections at most. */
  readonly max: number;
  readonly waitSeconds: number;
  /** Borrowers that wait at most; one more is refused at once. 5,000 by default. */
  readonly maxWaiting?: number;
  /** Older connections are replaced, and with them the memory that their sessions gathered. */
  readonly maxAgeSeconds: number;
}

export interface Pool<Connection extends Pooled> {
  /** Rejects with what opening failed with, or an error of code POOL_TIMEOUT or CONNECTION_ENDED. */
  take(): Promise<Connection>;
  give(connection: Connection): void;
  /** To be called when a connection is lost, borrowed or not. */
  lost(connection: Connection): void;
  /** Refuses new borrowers and ends every connection, each once it has finished what it does. */
  end(timeout?: number): Promise<void>;
}

interface Waiter<Connection> {
  resolve(connection: Connection): void;
  reject(error: Error): void;
}

export function createPool<Connection extends Pooled>(
  open: () => Promise<Connection>,
  { max, waitSeconds, maxAgeSeconds, maxWaiting = 5_000 }: PoolOptions,
): Pool<Connection> {
  const idle: Connection[] = [];
  const openedAt = new Map<Connection, number>();
  const waiters = new Set<Waiter<Connection>>();
  let opening = 0;
  let ended = false;

  function take(): Promise<Connection> {
    if (ended) return Promise.reject(poolError("CONNECTION_ENDED", "the pool has ended"));
    const connection = idle.pop();
    return connection ? Promise.resolve(connection) : wait();
  }

  function wait(): Promise<Connection> {
    if (waiters.size >= maxWaiting) return Promise.reject(poolError("POOL_TIMEOUT", "too many wait already"));
    const { promise, resolve, reject } = Promise.withResolvers<Connection>();
    const waiter = { resolve, reject };
    waiters.add(waiter);
    const giveUp = () => {
      waiters.delete(waiter);
      throw poolError("POOL_TIMEOUT", "every connection is in use");
    };
    grow();
    return withTimeout(promise, { ms: waitSeconds * 1000, onTimeout: giveUp });
  }

  function grow(): void {
    if (opening + openedAt.size >= max || opening >= waiters.size) return;
    opening++;
    open().then(
      (connection) => {
        opening--;
        openedAt.set(connection, Date.now());
        give(connection);
      },
      (error) => {
        opening--;
        // Where others are open, whoever waits is served by them.
        if (openedAt.size === 0) failWaiters(error);
      },
    );
  }

  function give(connection: Connection): void {
    const age = Date.now() - (openedAt.get(connection) ?? 0);
    const [waiter] = waiters;
    if (connection.closed) lost(connection);
    else if (ended || age > maxAgeSeconds * 1000) retire(connection);
    else if (waiter) hand(connection, waiter);
    else idle.push(connection);
  }

  function hand(connection: Connection, waiter: Waiter<Connection>): void {
    waiters.delete(waiter);
    waiter.resolve(connection);
  }

  function retire(connection: Connection): void {
    void connection.end();
    lost(connection);
  }

  function lost(connection: Connection): void {
    openedAt.delete(connection);
    const at = idle.indexOf(connection);
    if (at >= 0) idle.splice(at, 1);
    grow();
  }

  function failWaiters(error: Error): void {
    for (const waiter of waiters) waiter.reject(error);
    waiters.clear();
  }

  async function end(timeout?: number): Promise<void> {
    ended = true;
    failWaiters(poolError("CONNECTION_ENDED", "the pool has ended"));
    await Promise.all([...openedAt.keys()].map((connection) => connection.end(timeout)));
  }

  return { take, give, lost, end };
}

/** An error that `databaseProblem` knows by its code. */
export function poolError(code: string, message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { code });
}
