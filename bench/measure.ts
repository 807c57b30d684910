/**
 * The measuring kit of every suite: two contestants take turns in small blocks, so that whatever else the machine
 * does meanwhile hits both alike, and what is compared is the ratio of their medians.
 */

/** Sends the `turn`-th request and resolves once its answer has arrived whole. Throws where that is not a success. */
export type Act = (turn: number) => Promise<unknown>;

export interface Schedule {
  /** In each round both contestants run one block; who begins changes every round (ABBA). */
  readonly rounds: number;
  /** Requests of one block. */
  readonly block: number;
  /** Requests under way at once. */
  readonly concurrency: number;
  /** Rounds before the ones that count; 3 where absent. */
  readonly warmUpRounds?: number;
}

/** Latencies in milliseconds. */
export interface Latency {
  readonly median: number;
  readonly p99: number;
}

export interface Comparison {
  readonly reference: Latency;
  readonly subject: Latency;
  /** Reference by subject: 1 where both are equally fast, 0.5 where the subject takes twice as long. */
  readonly ratio: number;
  /** Subject by reference: 2 where the subject's slowest hundredth takes twice as long. */
  readonly p99Ratio: number;
}

/** Runs both contestants in turns. The first rounds, in which their code is compiled, are not counted. */
export async function compare(reference: Act, subject: Act, schedule: Schedule): Promise<Comparison> {
  const taken = new Map<Act, number[]>([
    [reference, []],
    [subject, []],
  ]);
  let turn = 0;
  for (let round = -(schedule.warmUpRounds ?? 3); round < schedule.rounds; round++) {
    const order = round % 2 === 0 ? [reference, subject] : [subject, reference];
    for (const act of order) {
      const latencies = await runBlock(act, turn, schedule);
      turn += schedule.block;
      if (round >= 0) taken.get(act)?.push(...latencies);
    }
  }
  return comparison(latencyOf(taken.get(reference) ?? []), latencyOf(taken.get(subject) ?? []));
}

async function runBlock(act: Act, first: number, { block, concurrency }: Schedule): Promise<number[]> {
  const latencies: number[] = [];
  let next = first;
  const worker = async () => {
    while (next < first + block) {
      const turn = next++;
      const start = performance.now();
      await act(turn);
      latencies.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return latencies;
}

function comparison(reference: Latency, subject: Latency): Comparison {
  return {
    reference,
    subject,
    ratio: reference.median / subject.median,
    p99Ratio: subject.p99 / reference.p99,
  };
}

export function latencyOf(latencies: readonly number[]): Latency {
  const sorted = Float64Array.from(latencies).sort();
  return { median: percentile(sorted, 0.5), p99: percentile(sorted, 0.99) };
}

/** The smallest value that at least this share of all values does not exceed. */
function percentile(sorted: Float64Array, share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}
