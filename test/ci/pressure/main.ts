/**
 * Sends each operation of the contract the most expensive known requests, while another tenant asks for a page ten
 * times a second. That tenant must not notice: 99 of 100 of its answers come within 500 ms, and none fails.
 *
 * `bun test/ci/pressure/main.ts [operation…]` tries the named operations, or all.
 */
import { join } from "node:path";
import { inFolder, repository, type WaybillProcess } from "../../support/waybillProcess.ts";
import { type Attack, allOperations, attacksOn, type Operation } from "./attacks.ts";
import { type Stall, stall, stalls } from "./stalled.ts";
import { makeWorld, secret, type World } from "./world.ts";

const longestMs = 500;
const sendersAtOnce = 4;
/** Enough for two of the largest bodies of a tenant and the rest of its requests. */
const mostGrownMiB = 400;
/** How long an operation is under load. Together they take about five minutes. */
function secondsFor({ body }: Operation): number {
  if (body === undefined) return 1.5;
  if (body.contentType === "multipart/form-data") return 9;
  return body.maxBytes > 2 ** 20 ? 14 : 4;
}

interface Sample {
  readonly at: number;
  readonly ms: number;
  readonly status: number;
}

interface Sent {
  readonly what: string;
  readonly from: number;
  readonly to: number;
  readonly status: number;
}

async function startQuietTenant(world: World) {
  const token = await world.token({ user: "quiet", tenant: 2, roles: ["admin_sop"] });
  const script = join(import.meta.dir, "quietTenant.ts");
  const child = Bun.spawn([process.execPath, script, world.quietPage, token], { stdout: "pipe" });
  const samples: Sample[] = [];
  void (async () => {
    let rest = "";
    const decoder = new TextDecoder();
    for await (const chunk of child.stdout) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) samples.push(JSON.parse(line));
    }
  })();
  return { samples, stop: () => child.kill() };
}

async function load(attacks: readonly Attack[], seconds: number): Promise<Sent[]> {
  const until = Date.now() + seconds * 1_000;
  // Requests without an answer by then are cancelled.
  const signal = AbortSignal.timeout((seconds + 4) * 1_000);
  const sent: Sent[] = [];
  let next = 0;
  const sender = async () => {
    for (let attack = attacks[next++]; attack && Date.now() < until; attack = attacks[next++]) {
      const from = Date.now();
      let status = 0;
      try {
        const response = await attack.send(signal);
        status = response.status;
        await response.arrayBuffer();
      } catch {}
      sent.push({ what: attack.what, from, to: Date.now(), status });
    }
  };
  await Promise.all(Array.from({ length: sendersAtOnce }, sender));
  return sent;
}

const quantile = (sorted: readonly number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

/** The requests that ran during the slowest answer. */
function suspects(sent: readonly Sent[], { at, ms }: Sample): string[] {
  const near = sent.filter(({ from, to }) => from <= at + ms && to >= at);
  return near.map(({ what, status, from, to }) => `${what} (${status}, ${to - from} ms)`);
}

function report(id: string, sent: readonly Sent[], samples: readonly Sample[]): boolean {
  const times = samples.map(({ ms }) => ms).sort((a, b) => a - b);
  const [p50, p99, max] = [quantile(times, 0.5), quantile(times, 0.99), times.at(-1) ?? 0];
  const failed = samples.filter(({ status }) => status !== 200);
  const broken = sent.filter(({ status }) => status === 500);
  const passed = samples.length > 0 && p99 < longestMs && failed.length === 0 && broken.length === 0;
  const statuses = Object.entries(Object.groupBy(sent, ({ status }) => status));
  const answers = statuses.map(([status, all]) => `${all?.length}×${status}`).join(" ");
  const figures = `p50 ${p50} p99 ${p99} max ${max} ms`;
  console.log(`${passed ? "(pass)" : "(fail)"} ${id}: ${figures}; ${sent.length} requests: ${answers}`);
  if (passed) return true;
  const [slowest] = [...samples].sort((a, b) => b.ms - a.ms);
  if (slowest && slowest.ms >= longestMs)
    for (const suspect of suspects(sent, slowest).slice(0, 8)) console.log(`    during ${suspect}`);
  if (failed.length > 0) console.log(`    failed: ${failed.map(({ status }) => status).join(" ")}`);
  for (const { what } of broken.slice(0, 8)) console.log(`    answered 500: ${what}`);
  return false;
}

const environment = {
  NODE_ENV: "production",
  JWT_SECRET: secret,
  TRUSTED_PROXIES: "127.0.0.1/32",
  LOG_LEVEL: "info",
  OUTBOUND_ALLOW: "",
};

/** Counts what passed and what failed. */
interface Score {
  passed: number;
  failed: number;
}

const count = (score: Score, passed: boolean) => void (passed ? score.passed++ : score.failed++);

interface Run {
  readonly server: WaybillProcess;
  readonly world: World;
  readonly samples: readonly Sample[];
  readonly score: Score;
}

const since = (samples: readonly Sample[], from: number) => samples.filter(({ at, ms }) => at + ms >= from);

async function tryOperation(operation: Operation, { world, samples, score }: Run): Promise<void> {
  const from = Date.now();
  const sent = await load(attacksOn(operation, world), secondsFor(operation));
  await Bun.sleep(500);
  count(score, report(operation.id, sent, since(samples, from)));
  await Bun.sleep(500);
}

async function tryStall(kind: Stall, { server, world, samples, score }: Run): Promise<void> {
  const from = Date.now();
  const { open, grown } = await stall(world, server.pid, kind);
  const passed = open === 0 && grown < mostGrownMiB;
  console.log(`${passed ? "(pass)" : "(fail)"} ${kind.what}: ${open} open, ${Math.round(grown)} MiB more`);
  count(score, passed);
  count(score, report(`during ${kind.what}`, [], since(samples, from)));
}

async function printPeakMemory({ pid }: WaybillProcess): Promise<void> {
  const status = await Bun.file(`/proc/${pid}/status`)
    .text()
    .catch(() => "");
  const [, kB] = /VmHWM:\s+(\d+)/.exec(status) ?? [];
  if (kB) console.log(`The server took at most ${Math.round(Number(kB) / 1024)} MiB of memory.`);
}

async function run(names: readonly string[]): Promise<boolean> {
  const isChosen = (name: string) => names.length === 0 || names.includes(name);
  const score: Score = { passed: 0, failed: 0 };
  await inFolder(async (_folder, start) => {
    const server = start({ environment });
    const world = await makeWorld(await server.listening);
    const quiet = await startQuietTenant(world);
    const parts = { server, world, samples: quiet.samples, score };
    try {
      await Bun.sleep(2_000);
      for (const operation of allOperations) if (isChosen(operation.id)) await tryOperation(operation, parts);
      for (const kind of stalls) if (isChosen("stalled")) await tryStall(kind, parts);
      await printPeakMemory(server);
    } finally {
      quiet.stop();
    }
  });
  console.log(`\n${score.passed} passed, ${score.failed} failed`);
  return score.failed === 0;
}

// The tests find their files from the repository's root.
process.chdir(repository);
process.exit((await run(process.argv.slice(2))) ? 0 : 1);
