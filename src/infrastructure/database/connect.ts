/**
 * The pool of connections to PostgreSQL, with the limits that every statement runs under.
 *
 * postgres.js builds, sends and reads the queries. Its own pool is not used, because of what version 3.4.9 does when
 * the database goes away (test/infrastructure/database/outage.test.ts reproduces it):
 * - A transaction that rolls back on a lost connection throws outside of every promise and ends the process.
 * - A connection that was lost during a write then times out again and again (for 20 s, as long as it was watched).
 * - A query waits without an end on a proxy that accepts connections and hangs up.
 *
 * So each connection is a separate postgres.js client, which is discarded when it fails. A transaction that has lost
 * its connection sends nothing more.
 */
import postgres from "postgres";
import { withTimeout } from "../withTimeout.ts";
import { arrayTypes } from "./arrayTypes.ts";
import { type Copies, copiesOn } from "./copy.ts";
import { databaseProblem } from "./databaseProblem.ts";
import { defer, type Make } from "./deferredQuery.ts";
import { createLanes, inLane, type Lanes } from "./lanes.ts";
import { type LimitedQuery, runLimited, sessionTimeoutSeconds } from "./limitedQuery.ts";
import { connectionLifetimeSeconds, createPool, type Pool, type Pooled } from "./pool.ts";
import { createShapeBudget, type ShapeBudget } from "./shapeBudget.ts";

/** The pool. A query can be awaited, nested and sent by `simple`. There are no cursors and no `file`. */
export interface Sql extends postgres.Sql {
  /** Which statements its connections may keep prepared. */
  readonly shapes: ShapeBudget;
  /**
   * A transaction in which COPY can move any number of rows. Neither it nor its statements have a limit of the
   * database. After `seconds` the connection is closed.
   */
  transfer<T>(options: TransferOptions, body: TransferBody<T>): Promise<T>;
  /** Runs one statement under its own time limit. PostgreSQL stops it with SQLSTATE 57014. */
  limited(query: LimitedQuery, seconds: number): Promise<postgres.RowList<postgres.Row[]>>;
}

interface TransferOptions {
  readonly seconds: number;
  /** Such as `isolation level repeatable read`. */
  readonly mode?: string;
}

/** A transaction of the pool, from `sql.begin`. */
export type Tx = postgres.TransactionSql;
/** The first argument of functions that run queries. */
export type Queryable = postgres.Sql | Tx;
/** A part of a query. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>;

export interface ConnectOptions {
  /** Most connections. 10 by default. */
  readonly max?: number;
  /** Session settings. They are added to the ones below, or replace them. */
  readonly settings?: Readonly<Record<string, string>>;
  /** After so long without an answer a connection is discarded. PostgreSQL's own limits work only while it runs. */
  readonly answerSeconds?: number;
  /** Whether each tenant has a share of the connections (lanes.ts). */
  readonly shared?: boolean;
}

/** Sent as startup parameters, so they apply from a session's first statement on. */
const sessionSettings = {
  application_name: "waybill",
  statement_timeout: `${sessionTimeoutSeconds}s`,
  lock_timeout: "5s",
  idle_in_transaction_session_timeout: "15s",
  TimeZone: "UTC",
  DateStyle: "ISO",
  client_min_messages: "warning",
  standard_conforming_strings: "on",
  extra_float_digits: "1",
  jit: "off",
};

const connectSeconds = 5;
const waitSeconds = 10;
const limits = { waitSeconds, maxAgeSeconds: connectionLifetimeSeconds };
/** For statements of one tenant that wait for its share. */
const tenantWaits = { waitSeconds, maxWaiting: 1_000 };

interface Connection extends Pooled {
  /** Tells the borrower of the connection that it is lost. */
  onLost: () => void;
  readonly sql: postgres.Sql;
}

/** A client of one connection. */
type NewClient = (onclose: () => void) => postgres.Sql;

type Body = (tx: Tx) => unknown;
type TransferBody<T> = (tx: Tx, copies: Copies) => Promise<T>;
type BeginArguments = [body: Body] | [mode: string, body: Body];

/** Connects when first used. `url` is `postgres://user:password@host:port/database`. */
export function connect(url: string, options: ConnectOptions = {}): Sql {
  const { max = 10, settings = {}, answerSeconds = 35, shared = false } = options;
  const clientOptions = {
    max: 1,
    connect_timeout: connectSeconds,
    keep_alive: 30,
    max_lifetime: null,
    backoff: () => 0.1,
    onnotice: () => {},
    fetch_types: false,
    types: arrayTypes,
    connection: { ...sessionSettings, ...settings } as object,
  };
  const newClient: NewClient = (onclose) => postgres(url, { ...clientOptions, onclose } as object);
  const pool: Pool<Connection> = createPool(() => open(newClient, (lost) => pool.lost(lost)), {
    max,
    ...limits,
  });
  const borrow = borrowerOf(pool, shared ? createLanes(max, tenantWaits) : undefined);
  const lend: Lend = (work) => lendFor(answerSeconds, borrow, work);
  const terminate = (pid: number) => {
    const ended = inLane(undefined, () => lend(({ sql }) => sql`select pg_terminate_backend(${pid}::int)`));
    ended.catch(() => {});
  };
  // Makes identifiers and parameters. It never connects.
  const builder = newClient(() => {});
  return defer(builder, (make) => lend(({ sql }) => make(sql)), {
    begin: (...args: BeginArguments) => lend((connection) => beginOn(connection, args)),
    reserve: () => reserve(borrow),
    transfer: <T>({ seconds, mode = "" }: TransferOptions, body: TransferBody<T>) =>
      lendFor(seconds, borrow, (connection) => transferOn(connection, { mode, body, terminate })),
    limited: (query: LimitedQuery, seconds: number) =>
      lendFor(Math.max(answerSeconds, seconds + 5), borrow, ({ sql }) => runLimited(sql, query, seconds)),
    shapes: createShapeBudget(),
    end: ({ timeout }: { timeout?: number } = {}) => pool.end(timeout),
  });
}

/** Connections that every server process has in addition to its pool. */
export const controlConnections = 3;

/** A server's connections: the pool that tenants share, and a few for readiness and heartbeats. */
export const connectServer = (url: string, poolSize: number) => ({
  sql: connect(url, { max: poolSize, shared: true }),
  control: connect(url, { max: controlConnections, settings: { application_name: "waybill control" } }),
});

/** Opens a connection and waits until it has answered. A client connects when it gets its first query. */
async function open(newClient: NewClient, onLost: (connection: Connection) => void): Promise<Connection> {
  const onclose = () => {
    connection.closed = true;
    connection.onLost();
    onLost(connection);
  };
  const sql = newClient(onclose);
  const end = (timeout?: number) => sql.end(timeout === undefined ? {} : { timeout });
  const connection: Connection = { sql, closed: false, onLost: () => {}, end };
  try {
    await useFor(connectSeconds, connection, () => sql.unsafe("select 1"));
    return connection;
  } catch (error) {
    void sql.end({ timeout: 0 });
    throw error;
  }
}

/** The result of `work`. Throws if the connection is lost or does not answer, whatever postgres.js does then. */
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

/** Lends a connection to `work`. Throws if the connection is lost. */
type Lend = <T>(work: (connection: Connection) => PromiseLike<T>) => Promise<T>;

/** Takes a connection from the pool, with the function that gives it back. */
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
  work: (connection: Connection) => PromiseLike<T>,
): Promise<T> {
  const { connection, giveBack } = await borrow();
  try {
    return await useFor(seconds, connection, work);
  } catch (error) {
    // The error arrives before `onclose` is called. In between, nobody else may get this connection.
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

async function beginOn(connection: Connection, args: BeginArguments): Promise<unknown> {
  const [mode, body] = args.length === 2 ? args : ["", args[0]];
  if (connection.closed) throw connectionLost();
  return connection.sql.begin(mode, guardBody(connection, body));
}

interface TransferWork<T> {
  readonly mode: string;
  readonly body: TransferBody<T>;
  /** Ends the session with this process id. */
  readonly terminate: (pid: number) => void;
}

async function transferOn<T>(connection: Connection, { mode, body, terminate }: TransferWork<T>): Promise<T> {
  if (connection.closed) throw connectionLost();
  const whole = async (raw: Tx) => {
    const [session] = await raw<{ pid: number }[]>`
      select pg_backend_pid() as pid,
             set_config('statement_timeout', '0', true)`;
    // A session that waits for its reader does not notice that the reader has gone.
    const abandon = () => {
      discard(connection);
      terminate(session?.pid ?? 0);
    };
    return guardBody(connection, (tx) => body(tx, copiesOn(raw, abandon)))(raw);
  };
  return (await connection.sql.begin(mode, whole)) as T;
}

/**
 * Once the connection is lost, `begin` has failed already. Then nothing that the body does may reach postgres.js: no
 * query, and not its end either, which would send a commit or a rollback. So for postgres.js it never ends.
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

/** A transaction, or a connection, whose queries fail once the connection is lost. */
function guard<T extends Queryable>(sql: T, connection: Connection, members: object = {}): T {
  const savepoint = async (...args: BeginArguments) => {
    if (connection.closed) throw connectionLost();
    const body = guardBody(connection, args[1] ?? (args[0] as Body));
    return args.length === 2 ? (sql as Tx).savepoint(args[0], body) : (sql as Tx).savepoint(body);
  };
  const execute = async (make: Make) => {
    if (connection.closed) throw connectionLost();
    return make(sql);
  };
  return defer(sql, execute, { savepoint, ...members });
}

async function reserve(borrow: Borrow): Promise<postgres.ReservedSql> {
  const { connection, giveBack: release } = await borrow();
  const begin = (...args: BeginArguments) => beginOn(connection, args);
  return guard(connection.sql as postgres.ReservedSql, connection, { release, begin });
}

const connectionLost = () =>
  Object.assign(new Error("the connection was lost"), { code: "CONNECTION_CLOSED" });

const noAnswer = () => Object.assign(new Error("the database did not answer"), { code: "CONNECT_TIMEOUT" });
