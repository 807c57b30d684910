import { afterEach, expect, test } from "bun:test";
import { createServer, type Server, type Socket } from "node:net";
import { parseOutboundAllow } from "../../../src/infrastructure/outbound/allow.ts";
import { wholeBodyOf } from "../../../src/infrastructure/outbound/answer.ts";
import { CallHeldBack } from "../../../src/infrastructure/outbound/failure.ts";
import {
  createOutboundFetch,
  type OutboundCall,
  type OutboundOptions,
} from "../../../src/infrastructure/outbound/fetch.ts";
import { failureOf } from "../../processes/delivery/failures.ts";
import {
  type Answer,
  authority,
  listening,
  type Partner,
  type PartnerOptions,
  startPartner,
} from "./partner.ts";

const running: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of running.splice(0)) await stop();
});

async function partner(answer?: Answer, options?: PartnerOptions): Promise<Partner> {
  const started = await startPartner(answer, options);
  running.push(() => started.stop());
  return started;
}

/** A server that sends bytes which no HTTP server would send. */
async function rawPartner(onConnection: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    onConnection(socket);
  });
  await listening(server);
  running.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as { port: number }).port;
}

const loopback = parseOutboundAllow(["127.0.0.0/8", "::1"]);

function call(url: string, options: Partial<OutboundCall & OutboundOptions> = {}) {
  const {
    allow = loopback,
    resolve,
    connectTimeoutMs,
    maxResponseBytes,
    certificateAuthorities,
    ...rest
  } = options;
  const settings = { resolve, connectTimeoutMs, maxResponseBytes, certificateAuthorities };
  const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  return createOutboundFetch({ allow, ...given })({
    method: "GET",
    url,
    headers: {},
    timeoutMs: 5000,
    ...rest,
  });
}

const resolvesTo =
  (...addresses: string[]) =>
  async () =>
    addresses;

const noName = async () => {
  throw new Error("ENOTFOUND");
};

test("a call arrives unchanged: method, path, query, headers and body in UTF-8", async () => {
  const { port, received } = await partner();
  const answer = await call(`http://127.0.0.1:${port}/a%2Fb/%C3%A9?q=%20+&r#top`, {
    method: "POST",
    headers: { "X-Name": "phở 🍜", "Content-Type": "application/json", "Idempotency-Key": "i:a:1" },
    body: '{"name":"phở"}',
  });
  expect(answer).toMatchObject({ status: 200, body: "ok", truncated: false });
  expect(received).toHaveLength(1);
  expect(received[0]).toMatchObject({
    method: "POST",
    url: "/a%2Fb/%C3%A9?q=%20+&r",
    body: '{"name":"phở"}',
  });
  expect(Object.fromEntries(received[0]?.headers ?? [])).toEqual({
    host: `127.0.0.1:${port}`,
    "x-name": "phở 🍜",
    "content-type": "application/json",
    "idempotency-key": "i:a:1",
    "user-agent": "Waybill",
    "accept-encoding": "identity",
    "content-length": "16",
    connection: "close",
  });
});

test("a status of 400 and above is an answer, with its headers and body", async () => {
  const { port } = await partner((_, response) => {
    response.writeHead(422, { "Content-Type": "text/plain; charset=iso-8859-1", "X-A": ["1", "2"] });
    response.end(Buffer.from("caf\xe9", "latin1"));
  });
  const answer = await call(`http://127.0.0.1:${port}/`);
  expect(answer).toMatchObject({ status: 422, body: "café" });
  expect(answer.headers["x-a"]).toBe("1, 2");
});

test("HEAD, and an answer without a body, return the empty text", async () => {
  const { port } = await partner((_, response) => void response.writeHead(204).end());
  expect(await call(`http://127.0.0.1:${port}/`, { method: "HEAD" })).toMatchObject({
    status: 204,
    body: "",
  });
  expect(await call(`http://127.0.0.1:${port}/`, { method: "DELETE" })).toMatchObject({
    status: 204,
    body: "",
  });
});

test("the name is resolved once, and the checked address is called", async () => {
  const checked = await partner((_, response) => void response.end("checked"));
  const rebound = await partner((_, response) => void response.end("rebound"), {
    address: "127.0.0.2",
    port: checked.port,
  });
  let resolutions = 0;
  const resolve = async () => [resolutions++ === 0 ? "127.0.0.1" : "127.0.0.2"];
  const allow = parseOutboundAllow(["127.0.0.1"]);
  const url = `http://rebinding.example:${checked.port}/`;
  expect((await call(url, { allow, resolve })).body).toBe("checked");
  expect(resolutions).toBe(1);
  expect(checked.received[0]?.headers).toContainEqual(["host", `rebinding.example:${checked.port}`]);
  expect((await failureOf(() => call(url, { allow, resolve }))).code).toBe("refused_by_policy");
  expect(rebound.received).toEqual([]);
});

test("a name that the system resolves to this machine is called at its checked address", async () => {
  const { port, received } = await partner();
  expect((await call(`http://localhost:${port}/`, { resolve: resolvesTo("127.0.0.1") })).status).toBe(200);
  expect((await failureOf(() => call(`http://localhost:${port}/`, { allow: [] }))).code).toBe(
    "refused_by_policy",
  );
  expect(received).toHaveLength(1);
});

test("one refused address among several stops the call", async () => {
  const { port, received } = await partner();
  const options = { allow: parseOutboundAllow(["127.0.0.1"]), resolve: resolvesTo("127.0.0.1", "127.0.0.2") };
  const failure = await failureOf(() => call(`http://two.example:${port}/`, options));
  expect(failure.code).toBe("refused_by_policy");
  expect(failure.message).not.toContain("127.0.0");
  expect(received).toEqual([]);
});

test("if one address takes no connection, the next one is called", async () => {
  const { port } = await partner();
  const resolve = resolvesTo("127.0.0.2", "::1", "127.0.0.1");
  expect((await call(`http://several.example:${port}/`, { resolve })).status).toBe(200);
});

test("`sending` is asked before the request, and not for a refused call", async () => {
  const { port, received } = await partner();
  const asked: string[] = [];
  const sending = (name: string) => async () => {
    asked.push(`${name}: ${received.length} received`);
  };
  await call(`http://127.0.0.1:${port}/`, { sending: sending("allowed") });
  const url = `http://bank.example:${port}/`;
  const refused = { resolve: resolvesTo("10.0.0.1"), sending: sending("refused") };
  await expect(call(url, refused)).rejects.toMatchObject({ code: "refused_by_policy" });
  await expect(call(url, { resolve: noName, sending: sending("unknown") })).rejects.toMatchObject({
    code: "unreachable",
  });
  const header = { headers: { "X-Name": "a\nb" }, sending: sending("header") };
  await expect(call(url, header)).rejects.toMatchObject({ code: "invalid_header" });
  expect(asked).toEqual(["allowed: 0 received"]);
});

test("a call whose time ends before it is sent is not sent", async () => {
  const { port, received } = await partner();
  const sending = () => Bun.sleep(60);
  const late = call(`http://127.0.0.1:${port}/`, { timeoutMs: 20, sending });
  await expect(late).rejects.toMatchObject({ code: "timed_out", requestSent: "no" });
  await Bun.sleep(50);
  expect(received).toEqual([]);
});

test("TLS uses the name, although an address is called", async () => {
  const { port, received } = await partner(undefined, { secure: true });
  const trusted = { resolve: resolvesTo("127.0.0.1"), certificateAuthorities: authority };
  expect((await call(`https://partner.example:${port}/x`, trusted)).body).toBe("ok");
  expect((await call(`https://partner.example.:${port}/x`, trusted)).body).toBe("ok");
  expect((await call(`https://127.0.0.1:${port}/x`, trusted)).body).toBe("ok");
  expect(received[0]?.headers).toContainEqual(["host", `partner.example:${port}`]);
  expect(received.map(({ serverName }) => serverName)).toEqual([
    "partner.example",
    "partner.example",
    undefined,
  ]);
});

test("a certificate of another name or an unknown authority ends the call before it is sent", async () => {
  const { port, received } = await partner(undefined, { secure: true });
  const resolve = resolvesTo("127.0.0.1");
  const otherName = await failureOf(() =>
    call(`https://other.example:${port}/?token=secret`, { resolve, certificateAuthorities: authority }),
  );
  expect(otherName.code).toBe("unreachable");
  expect(otherName.message).toContain("certificate for another host name");
  const unknown = await failureOf(() => call(`https://partner.example:${port}/?token=secret`, { resolve }));
  expect(unknown.message).toContain("no trusted authority");
  expect(`${otherName.message}${unknown.message}`).not.toContain("secret");
  expect(received).toEqual([]);
});

test("https to a server without TLS is explained", async () => {
  const { port } = await partner();
  const failure = await failureOf(() => call(`https://127.0.0.1:${port}/`));
  expect(failure).toMatchObject({ code: "unreachable", requestSent: "no" });
});

test.each([301, 302, 303, 307, 308])(
  "a redirect (%d) is not followed, and the message has neither its path nor its query",
  async (status) => {
    const target = await partner();
    const { port } = await partner((_, response) => {
      response.writeHead(status, { Location: `http://127.0.0.1:${target.port}/next?token=secret` }).end();
    });
    const failure = await failureOf(() => call(`http://127.0.0.1:${port}/hook?token=secret`));
    expect(failure.code).toBe("redirected");
    expect(failure.message).toBe(
      `http://127.0.0.1:${port} redirects to http://127.0.0.1:${target.port}. ` +
        "Redirects are not followed: put the final URL into the service task.",
    );
    expect(target.received).toEqual([]);
  },
);

test("an answer above the limit is cut between two characters, and marked", async () => {
  let closed = false;
  const { port } = await partner((_, response) => {
    response.on("close", () => {
      closed = true;
    });
    const more = () => {
      while (!closed && response.write("é".repeat(10_000)));
      if (!closed) response.once("drain", more);
    };
    more();
  });
  const answer = await call(`http://127.0.0.1:${port}/`, { maxResponseBytes: 1001 });
  expect(answer).toMatchObject({ status: 200, body: "é".repeat(500), truncated: true });
  expect((await failureOf(() => wholeBodyOf(answer))).code).toBe("response_too_large");
  while (!closed) await Bun.sleep(5);
});

test("an answer of exactly the limit is whole", async () => {
  const { port } = await partner((_, response) => void response.end("x".repeat(1000)));
  const answer = await call(`http://127.0.0.1:${port}/`, { maxResponseBytes: 1000 });
  expect(wholeBodyOf(answer)).toBe("x".repeat(1000));
});

test("an integration that never answers times out, and its connection is closed", async () => {
  let closed = 0;
  const { port } = await partner((request) => void request.socket.on("close", () => closed++));
  const failure = await failureOf(() => call(`http://127.0.0.1:${port}/?token=secret`, { timeoutMs: 100 }));
  expect(failure).toMatchObject({ code: "timed_out", requestSent: "unknown" });
  expect(failure.message).toContain("no complete answer within 0.1 s");
  while (closed === 0) await Bun.sleep(5);
});

test("a dripping answer has the same time limit", async () => {
  let closed = false;
  const { port } = await partner((_, response) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write("."), 20);
    response.on("close", () => {
      closed = true;
      clearInterval(drip);
    });
  });
  const started = performance.now();
  const failure = await failureOf(() => call(`http://127.0.0.1:${port}/`, { timeoutMs: 200 }));
  expect(failure.code).toBe("timed_out");
  expect(performance.now() - started).toBeLessThan(2000);
  while (!closed) await Bun.sleep(5);
});

test("a name server that does not answer has the same time limit", async () => {
  const resolve = () => new Promise<string[]>(() => undefined);
  const failure = await failureOf(() => call("http://slow.example/", { resolve, timeoutMs: 50 }));
  expect(failure).toMatchObject({ code: "timed_out", requestSent: "no" });
});

test("a connection that never completes TLS times out before anything is sent", async () => {
  const port = await rawPartner(() => undefined);
  for (const limit of [{ connectTimeoutMs: 100 }, { timeoutMs: 100 }]) {
    const failure = await failureOf(() => call(`https://127.0.0.1:${port}/`, limit));
    expect(failure).toMatchObject({ code: "timed_out", requestSent: "no" });
    expect(failure.message).toContain("within 0.1 s, so nothing was sent");
  }
});

test("over a connection that breaks before TLS is complete, nothing was sent", async () => {
  const port = await rawPartner((socket) => socket.on("data", () => socket.destroy()));
  const failure = await failureOf(() => call(`https://127.0.0.1:${port}/`));
  expect(failure).toMatchObject({ code: "unreachable", requestSent: "no" });
});

test("a slow answer is not cut by a short time for connecting", async () => {
  const slow: Answer = (_, response) => void setTimeout(() => response.end("late"), 200);
  const options = { connectTimeoutMs: 100, certificateAuthorities: authority };
  const plain = await partner(slow);
  expect((await call(`http://127.0.0.1:${plain.port}/`, options)).body).toBe("late");
  const secure = await partner(slow, { secure: true });
  expect((await call(`https://127.0.0.1:${secure.port}/`, options)).body).toBe("late");
});

test("a closed port, an unknown name and a connection that breaks are unreachable", async () => {
  const { port, stop } = await startPartner();
  await stop();
  const closed = await failureOf(() => call(`http://127.0.0.1:${port}/hook?token=secret`));
  expect(closed).toMatchObject({ code: "unreachable", requestSent: "no" });
  expect(closed.message).toBe(
    `http://127.0.0.1:${port} refuses connections; check that it is running and the port is right (ECONNREFUSED).`,
  );
  const unknown = await failureOf(() => call("http://nowhere.invalid/?token=secret", { resolve: noName }));
  expect(unknown).toMatchObject({
    code: "unreachable",
    requestSent: "no",
    message: "The host nowhere.invalid has no address. Check the URL and the name server.",
  });
  const breaking = await rawPartner((socket) => socket.on("data", () => socket.destroy()));
  expect(await failureOf(() => call(`http://127.0.0.1:${breaking}/`))).toMatchObject({
    code: "unreachable",
    requestSent: "unknown",
  });
});

test("an answer that ends before its length is unreachable", async () => {
  const port = await rawPartner((socket) =>
    socket.on("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")),
  );
  expect((await failureOf(() => call(`http://127.0.0.1:${port}/`))).code).toBe("unreachable");
});

test("a server that does not answer in HTTP is unreachable", async () => {
  const port = await rawPartner((socket) => socket.on("data", () => socket.end("SSH-2.0-OpenSSH_9.9\r\n")));
  expect((await failureOf(() => call(`http://127.0.0.1:${port}/`))).code).toBe("unreachable");
});

test.each([
  ["a line break in a value", { "X-A": "a\r\nHost: evil.example" }],
  ["a lone LF in a value", { "X-A": "a\nb" }],
  ["a zero byte in a value", { "X-A": "a\0b" }],
  ["a line break in a name", { "X-A\r\nX-B": "a" }],
  ["a blank in a name", { "X A": "a" }],
  ["an empty name", { "": "a" }],
  ["a host of its own", { Host: "evil.example" }],
  ["a length of its own", { "content-length": "0" }],
  ["a transfer coding", { "Transfer-Encoding": "chunked" }],
  ["a name that appears twice", { "X-A": "1", "x-a": "2" }],
])("headers with %s are refused before anything is sent", async (_, headers) => {
  const { port, received } = await partner();
  const failure = await failureOf(() =>
    call(`http://127.0.0.1:${port}/`, { headers: headers as unknown as Record<string, string> }),
  );
  expect(failure.code).toBe("invalid_header");
  expect(failure.message).not.toContain("evil");
  expect(received).toEqual([]);
});

test("a character above U+00FF cannot become a line break on the wire", async () => {
  const { port, received } = await partner();
  await call(`http://127.0.0.1:${port}/`, { headers: { "X-A": "a\u010d\u010aX-B: b" } });
  expect(received[0]?.headers).toContainEqual(["x-a", "a\u010d\u010aX-B: b"]);
  expect(received[0]?.headers.some(([name]) => name === "x-b")).toBe(false);
});

/** A server that answers with `head`, and then with `piece` again and again. */
const flooding = async (head: string, piece: string) => {
  let sent = 0;
  let closed = 0;
  const port = await rawPartner((socket) => {
    socket.on("close", () => closed++);
    const more = () => {
      while (!socket.destroyed && socket.write(piece)) sent += piece.length;
      if (!socket.destroyed) socket.once("drain", more);
    };
    socket.once("data", () => {
      socket.write(head);
      more();
    });
  });
  return { port, sent: () => sent, closed: () => closed };
};

const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
const interim = "HTTP/1.1 102 Processing\r\n\r\n";

test.each([
  ["interim answers", "", interim.repeat(500), "interim answers (1xx) without end"],
  ["headers", "HTTP/1.1 200 OK\r\n", `X-A: ${"b".repeat(1_000)}\r\n`, "does not answer in HTTP"],
  ["one header", "HTTP/1.1 200 OK\r\nX-A: ", "b".repeat(10_000), "does not answer in HTTP"],
  ["trailers", `${chunked}1\r\na\r\n0\r\n`, `X-A: ${"b".repeat(1_000)}\r\n`, "http://127.0.0.1"],
  ["a chunk's extension", `${chunked}1`, `;${"a".repeat(10_000)}`, "http://127.0.0.1"],
])("the connection of an answer with endless %s is closed", async (_what, head, piece, message) => {
  const { port, closed } = await flooding(head, piece);
  const started = performance.now();
  const failure = await failureOf(() => call(`http://127.0.0.1:${port}/`));
  expect(failure).toMatchObject({ code: "unreachable", requestSent: "unknown" });
  expect(failure.message).toContain(message);
  expect(performance.now() - started).toBeLessThan(4_000);
  while (closed() === 0) await Bun.sleep(5);
});

test("up to 16 interim answers are accepted", async () => {
  const port = await rawPartner((socket) =>
    socket.once("data", () =>
      socket.end(`${interim.repeat(16)}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok`),
    ),
  );
  expect((await call(`http://127.0.0.1:${port}/`)).body).toBe("ok");
});

test("an answer in many pieces of one byte is cut like a long one", async () => {
  const { port, closed } = await flooding(chunked, "1\r\nx\r\n".repeat(1_000));
  const answer = await call(`http://127.0.0.1:${port}/`, { timeoutMs: 20_000 });
  expect(answer.truncated).toBe(true);
  expect(answer.body.length).toBeLessThan(100_000);
  while (closed() === 0) await Bun.sleep(5);
});

test("sixteen receivers with endless interim answers are all cut off soon", async () => {
  // In another process, so that the work of the receivers is not measured.
  const receiver = Bun.spawn([process.execPath, new URL("./interimReceiver.ts", import.meta.url).pathname], {
    stdout: "pipe",
  });
  const { value } = await receiver.stdout.getReader().read();
  const port = new TextDecoder().decode(value).trim();
  let longest = 0;
  let last = performance.now();
  const ticks = setInterval(() => {
    longest = Math.max(longest, performance.now() - last - 5);
    last = performance.now();
  }, 5);
  const codes = Array.from({ length: 16 }, () =>
    failureOf(() => call(`http://127.0.0.1:${port}/`, { timeoutMs: 1_500 })).then(({ code }) => code),
  );
  expect(new Set(await Promise.all(codes))).toEqual(new Set(["unreachable"]));
  clearInterval(ticks);
  receiver.kill();
  // Each receiver costs the thread one read of its socket, about 10 ms. Without the limit it costs the whole call.
  expect(longest).toBeLessThan(1_000);
});

test("a call that may no longer be sent after connecting is held back", async () => {
  for (const secure of [false, true]) {
    const { port, received } = await partner(undefined, { secure });
    let asked = 0;
    const mayGoOut = () => asked++ < 0;
    const options = { method: "POST", body: "{}", mayGoOut, certificateAuthorities: authority } as const;
    const resolve = resolvesTo("127.0.0.1");
    const url = `${secure ? "https" : "http"}://partner.example:${port}/`;
    await expect(call(url, { ...options, resolve })).rejects.toBeInstanceOf(CallHeldBack);
    expect(asked).toBe(1);
    await Bun.sleep(50);
    expect(received).toEqual([]);
    const sent = await call(url, { ...options, resolve, mayGoOut: () => true });
    expect(sent.status).toBe(200);
    expect(received).toHaveLength(1);
  }
});
