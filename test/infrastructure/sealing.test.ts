import { afterAll, beforeAll, expect, test } from "bun:test";
import { CannotOpen, createSealing } from "../../src/infrastructure/sealing.ts";
import { contextOf, readSecrets, resealAll } from "../../src/tenants/secrets/secrets.ts";
import { startServer, type TestServer } from "../support/server.ts";

const older = "an older key for tenants' secrets";
const newer = "a newer key, which seals from now on";
const other = "a key that belongs to somebody else";
const purpose = "tenant secrets";
const sealing = createSealing([older], purpose);

test("a sealed value opens only in its context and with its key", () => {
  for (const text of ["", "a", "phở 🍜", "x".repeat(100_000)])
    expect(sealing.open(sealing.seal(text, "here"), "here")).toBe(text);
  const sealed = sealing.seal("value", "here");
  expect(() => sealing.open(sealed, "there")).toThrow(CannotOpen);
  expect(() => createSealing([other], purpose).open(sealed, "here")).toThrow(CannotOpen);
  expect(() => createSealing([older], "another purpose").open(sealed, "here")).toThrow(CannotOpen);
});

test("a sealed value with a changed, added or removed byte does not open", () => {
  const sealed = sealing.seal("value", "here");
  for (let at = 0; at < sealed.length; at++) {
    const changed = Uint8Array.from(sealed, (byte, index) => (index === at ? byte ^ 1 : byte));
    expect(() => sealing.open(changed, "here")).toThrow(CannotOpen);
    expect(() => sealing.open(sealed.subarray(0, at), "here")).toThrow(CannotOpen);
  }
  expect(() => sealing.open(Buffer.concat([sealed, Buffer.of(0)]), "here")).toThrow(CannotOpen);
});

test("the first key seals, and every key opens", () => {
  const sealed = sealing.seal("value", "here");
  const both = createSealing([newer, older], purpose);
  expect(both.open(sealed, "here")).toBe("value");
  expect([both.isOld(sealed), both.isOld(both.seal("value", "here"))]).toEqual([true, false]);
});

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ environment: { SECRETS_KEY: older } });
});
afterAll(() => server.stop());

const read = (key: string, names: readonly string[], tenantId = 1) =>
  readSecrets(server.sql, { tenantId, names, sealing: createSealing([key], purpose) });

test("an old key can be removed once all secrets are sealed with the new one", async () => {
  const api = await server.integration();
  for (const name of ["a", "b"])
    await api.putSecret({ name, xActiveTenant: "tenant-1", newSecret: { value: `${name}!` } });
  expect(await read(newer, ["a", "b"])).toEqual({ values: {}, unreadable: ["a", "b"] });
  const both = createSealing([newer, older], purpose);
  expect(await resealAll(server.sql, both)).toBe(2);
  expect(await resealAll(server.sql, both)).toBe(0);
  expect((await read(newer, ["a", "b"])).values).toEqual({ a: "a!", b: "b!" });
  expect((await read(older, ["a"])).unreadable).toEqual(["a"]);
});

test("a row that was moved to another tenant or name does not open", async () => {
  const sealed = sealing.seal("of tenant 1", contextOf(1, "mine"));
  await server.sql`
    insert into waybill.tenant_secrets (tenant_id, name, sealed, updated_by)
    values (1, 'mine', ${sealed}, 'x'), (2, 'mine', ${sealed}, 'x'), (1, 'yours', ${sealed}, 'x')`;
  expect((await read(older, ["mine", "yours"])).values).toEqual({ mine: "of tenant 1" });
  expect(await read(older, ["mine"], 2)).toEqual({ values: {}, unreadable: ["mine"] });
});
