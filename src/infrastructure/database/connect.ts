/**
 * The pool of connections to PostgreSQL, with the limits that every statement runs under.
 *
 * postgres.js builds, sends and reads the queries. Its own pool is left aside, for what 3.4.9 does when the database
 * goes away (reproduced in test/infrastructure/database/outage.test.ts): a transaction that rolls back on a lost connection throws
 * outside every promise and ends the process; a connection that was lost in mid-write then times out for as long as
 * one watched (20 s); a query waits for ever on a proxy that accepts and hangs up. So here each connection is a postgres.js client of its own,
 * which is thrown away when it fails, and a transaction that has lost its connection sends nothing more.
 */
import postgres from "postgres";
import { withTimeout } from "../withTimeout.ts";
import { databaseProblem } from "./databaseProblem.ts";
import { createLanes, type Lanes } from "./lanes.ts";
import { connectionLifetimeSeconds, createPool, type Pool, type Pooled } from "./pool.ts";
import { createShapeBudget, type ShapeBudget } from "./shapeBudget.ts";

/** The pool. Cursors and COPY streams outside of a transaction are not supported. */
export interface Sql extends postgres.Sql {
  /** Which statements its connections may keep prepared. */
  readonly shapes: ShapeBudget;
}
/** One transaction of it, as `sql.begin` hands it out. */
export type Tx = postgres.TransactionSql;
/** What a room's queries take as their first argument. */
export type Queryable = postgres.Sql | Tx;

export interface ConnectOptions {
  /** Connections at most. */
  readonly max?: number;
  /** Session settings beside, or instead of, the ones below. */
  readonly settings?: Readonly<Record<string, string>>;
  /** After so long without an answer a connection is given up: PostgreSQL's own limits work only while it runs. */
  readonly answerSeconds?: number;
  /** Each tenant has its share of the connections (lanes.ts). */
  readonly shared?: boolean;
}

/** Sent as startup parameters, so they hold from a session's first statement on. */
const sessionSettings = {
  application_name: "waybill",
  statement_timeout: "30s",
  lock_timeout: "5s",
  idle_in_transaction_session_timeout: "15s",
  TimeZone: "UTC",
  DateStyle: "ISO",
  client_min_messages: "warning",
  standard_conforming_strings: "on",
  extra_float_digits: "1",
  jit: "off",
};

/** The type `text[]`. */
const textArray = 1009;
const connectSeconds = 5;
const waitSeconds = 10;
const limits = { waitSeconds, maxAgeSeconds: connectionLifetimeSeconds };
/** Of one tenant, in the line for its share. */
const tenantWaits = { waitSeconds, maxWaiting: 1_000 };

interface Connection extends Pooled {
  /** Tells whoever has borrowed the connection that it is lost. */
  onLost: () => void;
  readonly sql: postgres.Sql;
  readonly execute: Execute;
}

/** What postgres.js hands a query to once somebody awaits it. */
type Execute = (query: Query) => unknown;

/** The part of a postgres.js query that decides where it runs and hears how it ended. */
interface Query extends Promise<unknown> {
  handler: Execute;
  cancelled: unknown;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

type Body = (tx: Tx) => unknown;
type BeginArguments = [body: Body] | [mode: string, body: Body];

/** Connects when first used. `url` is `postgres://user:password@host:port/database`. */
export function connect(url: string, options: ConnectOptions = {}): Sql {
  const { max = 10, settings = {}, answerSeconds = 35, shared = false } = options;
  // Builds queries and holds the parsed options; it never connects.
  const builder = postgres(url, {
    max: 1,
    connect_timeout: connectSeconds,
    keep_alive: 30,
    max_lifetime: null,
    backoff: () => 0.1,
    onnotice: () => {},
    connection: { ...sessionSettings, ...settings } as object,
  });
  const pool: Pool<Connection> = createPool(() => open(builder, (lost) => pool.lost(lost)), {
    max,
    ...limits,
  });
  const borrow = borrowerOf(pool, shared ? createLanes(max, tenantWaits) : undefined);
  const lend: Lend = (work) => lendFor(answerSeconds, borrow, work);
  return route(builder, (query) => run(query, lend), {
    begin: (...args: BeginArguments) => lend((connection) => beginOn(connection, args)),
    reserve: () => reserve(borrow),
    shapes: createShapeBudget(),
    end: ({ timeout }: { timeout?: number } = {}) => pool.end(timeout),
  });
}

/** Connections that every server process has besides its pool. */
export const controlConnections = 3;

/** A server's connections: the pool that tenants share, and those that tell whether the process is alive. */
export const connectServer = (url: string, poolSize: number) => ({
  sql: connect(url, { max: poolSize, shared: true }),
  control: connect(url, { max: controlConnections, settings: { application_name: "waybill control" } }),
});

/** One client of one connection that has answered; `select 1` is what makes it connect. */
async function open(builder: postgres.Sql, onLost: (connection: Connection) => void): Promise<Connection> {
  const onclose = () => {
    connection.closed = true;
    connection.onLost();
    onLost(connection);
  };
  // postgres.js takes options that it has parsed before as they are, and with them the array types that it has
  // fetched. Once is enough, and safer: a connection lost in the middle of it rejects a promise that nobody holds.
  const fetch_types = !(textArray in builder.options.parsers);
  const sql = postgres({ ...builder.options, fetch_types, onclose } as object);
  const execute = (sql`` as unknown as Query).handler;
  const end = (timeout?: number) => sql.end(timeout === undefined ? {} : { timeout });
  const connection: Connection = { sql, execute, closed: false, onLost: () => {}, end };
  try {
    await useFor(connectSeconds, connection, () => sql.unsafe("select 1"));
    return connection;
  } catch (error) {
    void sql.end({ timeout: 0 });
    throw error;
  }
}

/** The result of `work`. Throws if the connection is lost or does not answer, whatever postgres.js makes of that. */
async function useFor<T>(
  seconds: number,
  connection: Connection,
  work: (connection: Connection) => PromiseLike<T>,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  connection.onLost = () => reject(connectionLost());
  const giveUp = () => {
    throw noAnswer();
  };
  try {
    work(connection).then(resolve, reject);
    return await withTimeout(promise, { ms: seconds * 1000, onTimeout: giveUp });
  } finally {
    connection.onLost = () => {};
  }
}

/** Lends one connection to `work`, which fails when the connection is lost, whatever postgres.js makes of that. */
type Lend = <T>(work: (connection: Connection) => Promise<T>) => Promise<T>;

/** A connection, and what gives it back. */
type Borrow = () => Promise<{ readonly connection: Connection; readonly giveBack: () => void }>;

function borrowerOf(pool: Pool<Connection>, lanes: Lanes | undefined): Borrow {
  return async () => {
    const leave = await lanes?.enter();
    try {
      const connection = await pool.take();
      const giveBack = () => {
        pool.give(connection);
        leave?.();
      };
      return { connection, giveBack };
    } catch (error) {
      leave?.();
      throw error;
    }
  };
}

async function lendFor<T>(
  seconds: number,
  borrow: Borrow,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const { connection, giveBack } = await borrow();
  try {
    return await useFor(seconds, connection, work);
  } catch (error) {
    // The error arrives before the news that the connection is closed: nobody else may be lent it in between.
    if (databaseProblem(error)?.code === "database_unavailable") discard(connection);
    throw error;
  } finally {
    giveBack();
  }
}

function discard(connection: Connection): void {
  connection.closed = true;
  void connection.end(0);
}

async function run(query: Query, lend: Lend): Promise<void> {
  // Its own, taken now: a cursor that is iterated has put others in their place, and its promise never settles.
  const { resolve, reject } = query;
  const send = (connection: Connection) =>
    new Promise((sent, failed) => {
      Object.assign(query, { resolve: sent, reject: failed });
      if (query.cancelled) sent(undefined);
      else connection.execute(query);
    });
  await lend(send).then(resolve, reject);
}

async function beginOn(connection: Connection, args: BeginArguments): Promise<unknown> {
  const [mode, body] = args.length === 2 ? args : ["", args[0]];
  if (connection.closed) throw connectionLost();
  return connection.sql.begin(mode, guardBody(connection, body));
}

/**
 * Once the connection is lost, `begin` has already failed, and whatever the body does next must not reach
 * postgres.js, neither its queries nor its end, which would be a rollback or a commit: so it never ends.
 */
function guardBody(connection: Connection, body: Body): (tx: Tx) => Promise<unknown> {
  return async (tx) => {
    const ended = Promise.try(async () => {
      const result = body(guard(tx, connection));
      return Array.isArray(result) ? Promise.all(result) : result;
    });
    await ended.catch(() => {});
    return connection.closed ? new Promise(() => {}) : ended;
  };
}

/** A transaction, or one connection, whose queries fail once it is lost. */
function guard<T extends Queryable>(sql: T, connection: Connection, members: object = {}): T {
  const { handler } = sql`` as unknown as Query;
  const savepoint = async (...args: BeginArguments) => {
    if (connection.closed) throw connectionLost();
    const body = guardBody(connection, args[1] ?? (args[0] as Body));
    return args.length === 2 ? (sql as Tx).savepoint(args[0], body) : (sql as Tx).savepoint(body);
  };
  const execute = (query: Query) => (connection.closed ? query.reject(connectionLost()) : handler(query));
  return route(sql, execute, { savepoint, ...members });
}

async function reserve(borrow: Borrow): Promise<postgres.ReservedSql> {
  const { connection, giveBack: release } = await borrow();
  const begin = (...args: BeginArguments) => beginOn(connection, args);
  return guard(connection.sql as postgres.ReservedSql, connection, { release, begin });
}

const connectionLost = () =>
  Object.assign(new Error("the connection was lost"), { code: "CONNECTION_CLOSED" });

const noAnswer = () => Object.assign(new Error("the database did not answer"), { code: "CONNECT_TIMEOUT" });

/** `sql` with its queries sent to `execute` instead, and with these members in place of its own. */
function route<T extends Queryable, M extends object>(sql: T, execute: Execute, members: M): T & M {
  const routed = (value: unknown) =>
    value instanceof Promise ? Object.assign(value, { handler: execute }) : value;
  const replaced: Record<PropertyKey, unknown> = {
    unsafe: (...args: Parameters<Sql["unsafe"]>) => routed(sql.unsafe(...args)),
    file: (...args: Parameters<Sql["file"]>) => routed(sql.file(...args)),
    ...members,
  };
  return new Proxy(sql, {
    apply: (target, self, args) => routed(Reflect.apply(target as unknown as Execute, self, args)),
    get: (target, name) => replaced[name] ?? Reflect.get(target, name),
  }) as T & M;
}
