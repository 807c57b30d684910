/** A tenant's share of a pool's connections. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect, type Sql } from "../../../src/infrastructure/database/connect.ts";
import { createLanes, inLane, type Lane, sharesOf } from "../../../src/infrastructure/database/lanes.ts";
import { createDatabase, type TestDatabase } from "../../support/database.ts";

let database: TestDatabase;
let sql: Sql;
beforeAll(async () => {
  database = await createDatabase();
  sql = connect(database.url, { max: 10, shared: true });
});
afterAll(async () => {
  await sql.end({ timeout: 5 });
  await database.drop();
});

const request = (tenant: number): Lane => ({ kind: "request", tenant });
const job = (tenant: number): Lane => ({ kind: "job", tenant });

/** Begins transactions that stay open. The returned function ends them. */
function hold(lane: Lane, count: number): () => Promise<unknown> {
  const release = Promise.withResolvers<void>();
  const held = Array.from({ length: count }, () =>
    inLane(lane, () =>
      sql.begin(async (tx) => {
        await tx`select 1`;
        await release.promise;
      }),
    ),
  );
  return () => {
    release.resolve();
    return Promise.all(held);
  };
}

test("a tenant that takes its whole share leaves connections for others, for its jobs and for internal work", async () => {
  const release = hold(request(1), 40);
  await Bun.sleep(200);
  const answered = Promise.all([
    inLane(request(2), () => sql`select 2`),
    inLane(job(1), () => sql`select 3`),
    sql`select 4`,
  ]);
  expect(await Promise.race([answered.then(() => "answered"), Bun.sleep(5_000)])).toBe("answered");
  await release();
});

test("tenants that take all their shares leave a reserve for internal work", async () => {
  const releases = [1, 2, 3, 4].flatMap((tenant) => [hold(request(tenant), 10), hold(job(tenant), 10)]);
  await Bun.sleep(200);
  const answered = Promise.all([sql`select 1`, sql`select 2`]);
  expect(await Promise.race([answered.then(() => "answered"), Bun.sleep(5_000)])).toBe("answered");
  await Promise.all(releases.map((release) => release()));
});

test("a lane covers everything that is awaited in it, except an inner lane", async () => {
  const lanes = createLanes(4, { waitSeconds: 0.05, maxWaiting: 10 });
  const code = await inLane(request(1), async () => {
    await Bun.sleep(1);
    const leave = await lanes.enter();
    const refused = await lanes.enter().catch((error) => error.code);
    await inLane(request(2), () => lanes.enter());
    await inLane(undefined, () => lanes.enter());
    leave();
    return refused;
  });
  expect(code).toBe("POOL_TIMEOUT");
});

test("beyond its share, a limited number of a tenant's statements wait", async () => {
  const lanes = createLanes(4, { waitSeconds: 30, maxWaiting: 3 });
  const enter = () => inLane(request(1), () => lanes.enter());
  const leave = await enter();
  const waiting = [enter(), enter(), enter()];
  expect(await enter().catch((error) => error.code)).toBe("POOL_TIMEOUT");
  leave();
  for (const next of waiting) (await next)();
});

test("for every pool size, the shares leave a reserve and have at least one connection each", () => {
  for (let size = 4; size <= 200; size++) {
    const { together, request, job } = sharesOf(size);
    expect(Math.min(request, job)).toBeGreaterThanOrEqual(1);
    expect(request + job).toBeLessThan(together);
    expect(together).toBeLessThan(size);
  }
});
