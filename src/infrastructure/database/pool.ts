/**
 * A pool of connections. A connection is lent to one borrower at a time, and is never opened again once it has failed.
 *
 * Every wait has a limit. If a connection cannot be opened and none is open, everybody who waits gets the error. A
 * borrower that finds every connection in use gives up after `waitSeconds`.
 */
import { withTimeout } from "../withTimeout.ts";

/** Connections are closed at this age. Their prepared statements end with them. */
export const connectionLifetimeSeconds = 30 * 60;

export interface Pooled {
  /** Set by the owner as soon as the connection is lost. */
  closed: boolean;
  /** Closes the connection after its current work, or after `timeout` seconds. */
  end(timeout?: number): Promise<void>;
}

export interface PoolOptions {
  /** Most connections. */
  readonly max: number;
  readonly waitSeconds: number;
  /** Most borrowers that wait. One more is refused at once. 5,000 by default. */
  readonly maxWaiting?: number;
  /** Older connections are replaced, which frees the memory that their sessions have taken. */
  readonly maxAgeSeconds: number;
}

export interface Pool<Connection extends Pooled> {
  /** Throws the error of a failed connection attempt, or one with code POOL_TIMEOUT or CONNECTION_ENDED. */
  take(): Promise<Connection>;
  give(connection: Connection): void;
  /** Call it when a connection is lost, borrowed or not. */
  lost(connection: Connection): void;
  /** Refuses new borrowers, and closes each connection after its current work. */
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
    if (waiters.size >= maxWaiting)
      return Promise.reject(poolError("POOL_TIMEOUT", "too many statements are waiting for a connection"));
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
        // Otherwise the open connections serve those who wait.
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

/** An error that `databaseProblem` recognises by its code. */
export function poolError(code: string, message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { code });
}
