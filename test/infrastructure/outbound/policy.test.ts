import { expect, test } from "bun:test";
import { networkInterfaces } from "node:os";
import { parseOutboundAllow } from "../../../src/infrastructure/outbound/allow.ts";
import { checkTarget, type Resolve, systemResolve } from "../../../src/infrastructure/outbound/policy.ts";
import { failureOf } from "../../processes/delivery/failures.ts";

const neverResolve: Resolve = async (host) => {
  throw new Error(`${host} was taken for a name`);
};
const resolvesTo =
  (...addresses: string[]): Resolve =>
  async () =>
    addresses;

interface Situation {
  readonly allow?: readonly string[];
  readonly resolve?: Resolve;
  readonly own?: readonly string[];
}
const check = (
  url: string,
  { allow = [], resolve = neverResolve, own = ["127.0.0.1", "::1"] }: Situation = {},
) => checkTarget(url, { allow: parseOutboundAllow(allow), resolve, ownAddresses: () => own });
const refusal = (url: string, situation?: Situation) => failureOf(() => check(url, situation));

test("public addresses may be called, and the checked ones are returned", async () => {
  expect((await check("https://93.184.216.34/x")).addresses).toEqual(["93.184.216.34"]);
  expect((await check("https://[2606:2800:220:1:248:1893:25c8:1946]/")).addresses).toEqual([
    "2606:2800:220:1:248:1893:25c8:1946",
  ]);
  const both = ["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946"];
  const target = await check("https://partner.example/x?y", { resolve: resolvesTo(...both) });
  expect(target.addresses).toEqual(both);
  expect(target.url.href).toBe("https://partner.example/x?y");
});

test.each<readonly [string, readonly string[]]>([
  ["loopback", ["127.0.0.1", "127.255.255.254", "::1"]],
  ["unspecified", ["0.0.0.0", "0.1.2.3", "::"]],
  ["private", ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fc00::1", "fdff::1", "fec0::1"]],
  ["link-local and metadata", ["169.254.169.254", "169.254.0.1", "fe80::1", "fd00:ec2::254"]],
  ["metadata of other clouds", ["100.100.100.200", "168.63.129.16", "192.0.0.192"]],
  ["carrier-grade NAT", ["100.64.0.1", "100.127.255.255"]],
  ["multicast and broadcast", ["224.0.0.1", "239.255.255.255", "255.255.255.255", "ff02::1"]],
  ["documentation", ["192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1"]],
  ["reserved", ["240.0.0.1", "198.18.0.1", "192.88.99.1", "100::1", "5f00::1", "4000::1"]],
  ["IPv4-mapped", ["::ffff:127.0.0.1", "::ffff:a00:1", "::ffff:93.184.216.34", "::ffff:0:127.0.0.1"]],
  ["IPv4-compatible", ["::127.0.0.1", "::7f00:1"]],
  ["NAT64", ["64:ff9b::127.0.0.1", "64:ff9b::a00:1", "64:ff9b:1::a00:1"]],
  ["6to4 and Teredo", ["2002:7f00:1::", "2002:a00:1::1", "2001:0:7f00:1::1"]],
])("addresses are refused, in the URL or behind a name: %s", async (_, addresses) => {
  for (const address of addresses) {
    const host = address.includes(":") ? `[${address}]` : address;
    expect((await refusal(`http://${host}/`)).code).toBe("refused_by_policy");
    expect((await refusal("http://x.example/", { resolve: resolvesTo(address) })).code).toBe(
      "refused_by_policy",
    );
  }
});

test.each([
  "http://0x7f.1/",
  "http://0x7f000001/",
  "http://2130706433/",
  "http://017700000001/",
  "http://0177.0.0.01/",
  "http://127.1/",
  "http://127.0.1/",
  "http://127.0.0.1./",
  "http://0/",
  "http://１２７.0.0.1/",
  "http://127。0。0。1/",
  "http://①②⑦.0.0.1/",
  "http://%31%32%37.0.0.1/",
  "http:127.0.0.1/",
  "http:\\\\127.0.0.1\\",
  "http://93.184.216.34@127.0.0.1/",
  "http://127.0.0.1#@93.184.216.34/",
  "http://127.0.0.1\t/",
  "http://[::ffff:127.0.0.1]/",
  "http://[0:0:0:0:0:FFFF:7F00:0001]/",
])("this machine in an odd notation is refused: %s", async (url) => {
  expect((await refusal(url)).code).toBe("refused_by_policy");
});

test.each([
  "http://[fe80::1%25eth0]/",
  "http://[::1%eth0]/",
  "http://",
  "//h/",
  "h",
  "",
  "http://256.1.1.1/",
  "http://h:x/",
])("%j is not a URL", async (url) => {
  expect((await refusal(url)).code).toBe("invalid_url");
});

test.each([
  "ftp://93.184.216.34/",
  "file:///etc/passwd",
  "gopher://h/",
  "data:,x",
  "ws://h/",
  "unix:/run/x",
  "javascript:1",
])("only http and https are called: %s", async (url) => {
  expect((await refusal(url)).code).toBe("refused_by_policy");
});

test("a URL with credentials is refused, and the message does not repeat them", async () => {
  for (const url of ["https://user:hunter2@partner.example/", "https://hunter2@partner.example/"]) {
    const failure = await refusal(url);
    expect(failure.code).toBe("refused_by_policy");
    expect(failure.message).toBe(
      "The URL of partner.example contains credentials; send them in a header instead.",
    );
  }
});

test("names of this machine are refused because of their addresses", async () => {
  for (const url of ["http://localhost/", "http://LOCALHOST./", "http://ⓛocalhost/"])
    expect((await refusal(url, { resolve: systemResolve })).code).toBe("refused_by_policy");
});

test("every address counts, also one with a zone, and other texts are refused", async () => {
  for (const address of ["10.0.0.1", "::1", "fe80::1%eth0", "0x7f.1", "127.1", "nonsense", ""])
    expect((await refusal("http://x.example/", { resolve: resolvesTo("93.184.216.34", address) })).code).toBe(
      "refused_by_policy",
    );
});

test("a name that does not resolve, or has no address, is unreachable", async () => {
  for (const resolve of [resolvesTo(), neverResolve])
    expect(await refusal("http://x.example/?token=secret", { resolve })).toMatchObject({
      code: "unreachable",
      message: "The host x.example has no address. Check the URL and the name server.",
    });
});

test("a refusal names the kind of address and the entry that permits it, but not the address", async () => {
  const failure = await refusal("https://x.example/?token=secret", { resolve: resolvesTo("10.1.2.3") });
  expect(failure.message).toBe(
    "x.example is or resolves to a private address, which service tasks may not call. " +
      "An operator can permit it by adding x.example:443 to OUTBOUND_ALLOW.",
  );
  expect(String(failure.cause)).toContain("10.1.2.3");
  expect((await refusal("http://[::1]:81/")).message).toContain("adding [::1]:81 to OUTBOUND_ALLOW");
});

test.each([
  ["x.example", "http://x.example/", true],
  ["X.Example.", "http://x.example:8080/", true],
  ["x.example", "http://x.example./", true],
  ["x.example", "http://y.x.example/", false],
  ["x.example:8080", "http://x.example:8080/", true],
  ["x.example:8080", "http://x.example/", false],
  ["x.example:80", "http://x.example/", true],
  ["x.example:443", "https://x.example/", true],
  ["bücher.example", "http://xn--bcher-kva.example/", true],
  ["10.1.2.3", "http://x.example/", true],
  ["10.1.2.3:80", "http://x.example/", true],
  ["10.1.2.3:81", "http://x.example/", false],
  ["10.1.2.4", "http://x.example/", false],
  ["10.0.0.0/8", "http://x.example:9/", true],
  ["10.1.0.0/24", "http://x.example/", false],
  ["0.0.0.0/0", "http://x.example/", true],
  ["::/0", "http://x.example/", false],
])("OUTBOUND_ALLOW=%s with %s, which resolves to 10.1.2.3: permitted %p", async (entry, url, permitted) => {
  const situation = { allow: [entry], resolve: resolvesTo("10.1.2.3") };
  if (permitted) expect((await check(url, situation)).addresses).toEqual(["10.1.2.3"]);
  else expect((await refusal(url, situation)).code).toBe("refused_by_policy");
});

test("OUTBOUND_ALLOW accepts IPv6, and IPv4 written as IPv6 counts as IPv4", async () => {
  await check("http://[::1]:81/", { allow: ["::1"] });
  await check("http://[::1]:81/", { allow: ["[::1]:81"] });
  await check("http://[fd00::5]/", { allow: ["fd00::/8"] });
  await check("http://[::ffff:10.1.2.3]/", { allow: ["10.0.0.0/8"] });
  await check("http://[64:ff9b::5db8:d822]/", { allow: ["64:ff9b::/96"] });
  expect((await refusal("http://[::1]:82/", { allow: ["[::1]:81"] })).code).toBe("refused_by_policy");
  expect((await refusal("http://[64:ff9b::a00:1]/", { allow: ["10.0.0.0/8"] })).code).toBe(
    "refused_by_policy",
  );
});

test("public addresses are called on ports 80 and 443, and on ports that OUTBOUND_ALLOW permits", async () => {
  const resolve = resolvesTo("93.184.216.34");
  for (const url of [
    "http://x.example/",
    "https://x.example/",
    "http://x.example:443/",
    "https://x.example:80/",
  ])
    await check(url, { resolve });
  for (const port of [1, 22, 25, 81, 5432, 8080, 65_535]) {
    const failure = await refusal(`http://x.example:${port}/`, { resolve });
    expect(failure).toMatchObject({ code: "refused_by_policy", requestSent: "no" });
    expect(failure.message).toBe(
      `x.example is called on port ${port}, but service tasks may call only ports 80 and 443. ` +
        `An operator can permit it by adding x.example:${port} to OUTBOUND_ALLOW.`,
    );
    const entries = [
      `x.example:${port}`,
      "x.example",
      `93.184.216.34:${port}`,
      `93.184.0.0/16:${port}`,
      "0.0.0.0/0",
    ];
    for (const entry of entries) await check(`http://x.example:${port}/`, { resolve, allow: [entry] });
  }
  for (const entry of ["x.example:8081", "93.184.0.0/16:8081", "y.example"])
    expect((await refusal("http://x.example:8080/", { resolve, allow: [entry] })).code).toBe(
      "refused_by_policy",
    );
});

test("the addresses of this machine, also public ones, are refused unless an entry names them", async () => {
  const own = ["93.184.216.34", "10.1.2.3", "2606:2800::1", "fe80::1"];
  for (const address of ["93.184.216.34", "10.1.2.3", "::ffff:10.1.2.3", "2606:2800:0::1", "fe80::1%eth0"]) {
    const resolve = resolvesTo(address);
    expect((await refusal("http://x.example/", { resolve, own })).code).toBe("refused_by_policy");
    // A wide range means only other machines.
    for (const allow of [["0.0.0.0/0", "::/0"], ["10.0.0.0/8"], ["93.184.216.0/24"], ["y.example"]])
      expect((await refusal("http://x.example/", { resolve, own, allow })).code).toBe("refused_by_policy");
    await check("http://x.example/", { resolve, own, allow: ["x.example:80"] });
  }
  const resolve = resolvesTo("93.184.216.34");
  const { message } = await refusal("http://x.example/", { resolve, own });
  expect(message).toContain("x.example is or resolves to an address of this machine, which");
  await check("http://x.example/", { resolve, own, allow: ["93.184.216.34"] });
  await check("http://x.example/", { resolve, own, allow: ["93.184.216.34/32"] });
  await check("http://x.example/", { resolve: resolvesTo("10.9.9.9"), own, allow: ["10.0.0.0/8"] });
  await check("http://x.example:9/", { resolve: resolvesTo("127.0.0.2"), own, allow: ["127.0.0.0/8"] });
  for (const address of ["127.0.0.2", "0.0.0.0"])
    expect(
      (await refusal("http://x.example/", { resolve: resolvesTo(address), own, allow: ["0.0.0.0/0"] })).code,
    ).toBe("refused_by_policy");
});

test("the addresses of this machine are those of its interfaces", async () => {
  const [address] = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  const resolve = resolvesTo(address?.address ?? "");
  const policy = { resolve, allow: parseOutboundAllow(["0.0.0.0/0", "::/0"]) };
  expect((await failureOf(() => checkTarget("http://x.example/", policy))).code).toBe("refused_by_policy");
});

test("a range with a port is permitted on that port", async () => {
  await check("http://x.example:81/", { resolve: resolvesTo("10.1.2.3"), allow: ["10.0.0.0/8:81"] });
  await check("http://[fd00::5]:81/", { allow: ["[fd00::/8]:81"] });
  expect((await refusal("http://[fd00::5]:82/", { allow: ["[fd00::/8]:81"] })).code).toBe(
    "refused_by_policy",
  );
});

test("a permission for one address does not permit another address of the same name", async () => {
  const resolve = resolvesTo("10.1.2.3", "10.1.2.4");
  expect((await refusal("http://x.example/", { allow: ["10.1.2.3"], resolve })).code).toBe(
    "refused_by_policy",
  );
  await check("http://x.example/", { allow: ["10.1.2.3", "10.1.2.4"], resolve });
});

test.each([
  "",
  "*",
  "*.example",
  "http://x.example",
  "x.example/",
  "x.example:0",
  "x.example:65536",
  "x.example:http",
  "u@x.example",
  "10.0.0.0/8:0",
  "10.0.0.0/8:x",
  "[fd00::/8",
  "10.0.0.0/33",
  "10.0.0.0/8/8",
  "10.0.0/8",
  "127.1",
  "0x7f000001",
  "2130706433",
  "::1/129",
  "[::1",
  "a b",
])("OUTBOUND_ALLOW refuses %j", (entry) => {
  expect(() => parseOutboundAllow([entry])).toThrow(JSON.stringify(entry));
});
