import { expect, test } from "bun:test";
import { createPool, type Pooled } from "../../../src/infrastructure/database/pool.ts";

interface Line extends Pooled {
  readonly number: number;
  ended: boolean;
}

function lines(options: { max?: number; maxAgeSeconds?: number } = {}) {
  const opened: Line[] = [];
  const state = { failing: false };
  const open = async () => {
    await Bun.sleep(1);
    if (state.failing) throw new Error("refused");
    const line: Line = {
      number: opened.length,
      closed: false,
      ended: false,
      end: async () => {
        line.ended = true;
      },
    };
    opened.push(line);
    return line;
  };
  return {
    opened,
    state,
    pool: createPool(open, { max: 2, waitSeconds: 0.1, maxAgeSeconds: 60, ...options }),
  };
}

test("a connection is lent to one borrower at a time and used again", async () => {
  const { pool, opened } = lines();
  const [a, b] = await Promise.all([pool.take(), pool.take()]);
  expect(a).not.toBe(b);
  const third = pool.take();
  pool.give(b);
  expect(await third).toBe(b);
  expect(opened.length).toBe(2);
});

test("borrowers are served in the order in which they came", async () => {
  const { pool } = lines({ max: 1 });
  const held = await pool.take();
  const order: number[] = [];
  const waiting = [1, 2, 3].map(async (n) => {
    const line = await pool.take();
    order.push(n);
    pool.give(line);
  });
  pool.give(held);
  await Promise.all(waiting);
  expect(order).toEqual([1, 2, 3]);
});

test("a borrower that finds every connection in use gives up in time, and no connection is lost", async () => {
  const { pool } = lines({ max: 1 });
  const held = await pool.take();
  expect(await pool.take().catch((error) => error.code)).toBe("POOL_TIMEOUT");
  pool.give(held);
  expect(await pool.take()).toBe(held);
});

test("a failed attempt to open fails everyone who waits, and the next borrower tries anew", async () => {
  const { pool, state } = lines();
  state.failing = true;
  const outcomes = await Promise.all(
    Array.from({ length: 50 }, () => pool.take().catch((error) => error.message)),
  );
  expect(new Set(outcomes)).toEqual(new Set(["refused"]));
  state.failing = false;
  expect((await pool.take()).number).toBe(0);
});

test("a lost connection is not lent again and makes room for a new one", async () => {
  const { pool } = lines({ max: 1 });
  const first = await pool.take();
  const waiting = pool.take();
  first.closed = true;
  pool.lost(first);
  const second = await waiting;
  expect(second).not.toBe(first);
  pool.give(first);
  pool.give(second);
  second.closed = true;
  pool.lost(second);
  expect((await pool.take()).number).toBe(2);
});

test("a connection past its age is ended when it is given back", async () => {
  const { pool } = lines({ maxAgeSeconds: 0.02 });
  const old = await pool.take();
  await Bun.sleep(30);
  pool.give(old);
  expect(old.ended).toBe(true);
  expect(await pool.take()).not.toBe(old);
});

test("an ended pool refuses new and waiting borrowers, and ends its connections", async () => {
  const { pool, opened } = lines({ max: 1 });
  await pool.take();
  const waiting = pool.take().catch((error) => error.code);
  await pool.end();
  expect(await waiting).toBe("CONNECTION_ENDED");
  expect(await pool.take().catch((error) => error.code)).toBe("CONNECTION_ENDED");
  expect(opened.every((line) => line.ended)).toBe(true);
});
