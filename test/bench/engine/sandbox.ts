// What an evaluation costs beyond the program's own CPU time, from dispatch to score, by level: the level fork, a
// container for each program, and bare Docker as the floor; then evaluations per second with as
// many at a time as there are cores.
import { execFile } from 'node:child_process';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Sandbox } from '../../../activities/sandbox/contract/types.ts';
import {
  createDockerGate,
  createDockerScorer,
  createDockerSandbox,
} from '../../../activities/sandbox/levels/docker.ts';
import { createEvaluator } from '../../../activities/sandbox/host/evaluator.ts';
import { createForkSandbox } from '../../../activities/sandbox/levels/fork.ts';
import { loadTask } from '../../../activities/task/load-task.ts';
import { dockerHost, testImage } from '../../activities/sandbox/levels/docker.ts';
import type { TestHome } from '../../support/machine/home.ts';
import { bareDocker } from './bare-docker.ts';
import type { Judge } from '../conditions.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const TASK = 'circle-packing-square-26';
const OWN_CPU_MS = 1;
/** Busy for 1 ms of its own CPU time, then a small valid solution. */
const PROGRAM = `import time

def construct(instance):
    end = time.process_time() + ${OWN_CPU_MS / 1000}
    while time.process_time() < end:
        pass
    return {"circles": [[0.0, 0.0, 0.0]] * instance["n"]}
`;
const LIMITS = {
  cpuSeconds: 10,
  wallSeconds: 30,
  memoryBytes: 512 * 2 ** 20,
  outputBytes: 4 * 2 ** 20,
  pids: 64,
  cores: 1,
};
/** Before each single measurement: what the last one left to do is done by then. */
const SETTLE_MS = 700;
const GOALS = { docker: 250, fork: 20 } as const;
const PER_SECOND_GOAL = 60;

type Way = { readonly evaluate: () => Promise<void>; readonly close: () => Promise<void> };
export type SandboxBenchFlags = { readonly rounds: number; readonly seconds: number };

const quantile = (values: readonly number[], at: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * at))]!;
const rounded = (value: number, digits = 1): number => Number(value.toFixed(digits));

const parts = async (home: TestHome, action: 'prepare' | 'release'): Promise<void> => {
  await promisify(execFile)(process.execPath, [join(ROOT, 'deploy', 'stack', 'prepare-tests.ts'), action], {
    env: home.env,
    cwd: ROOT,
  });
};

const setUp = async (label: string) => {
  const task = { ...(await loadTask(TASK)), limits: LIMITS };
  const cores = availableParallelism();
  const options = { dockerHost, image: await testImage(), home: label, log: () => undefined };
  const [gate, scorer] = [createDockerGate(options), createDockerScorer({ ...options, task })];
  let keys = 0;
  const way = (sandbox: Sandbox): Way => {
    const evaluator = createEvaluator({ sandbox, gate, scorer, task });
    return {
      evaluate: async () => {
        const key = `bench-${(keys += 1)}`;
        const result = await evaluator.evaluate(
          { key, run: 'bench', code: PROGRAM, seed: 1, acceptSavedOnTimeout: false, scoring: 'tolerant' },
          new AbortController().signal,
        );
        if (result.outcome !== 'valid')
          throw new Error(
            `expected a valid program, got ${result.outcome} ${result.execution}: ${result.reasons.join('; ')} ${result.stderrTail}`,
          );
      },
      close: () => sandbox.close(),
    };
  };
  const floor = bareDocker({ ...options, limits: LIMITS });
  const ways: Readonly<Record<'floor' | 'docker' | 'fork', () => Way>> = {
    floor: () => ({ evaluate: () => floor(PROGRAM), close: async () => undefined }),
    docker: () => way(createDockerSandbox({ ...options, concurrency: cores })),
    fork: () => way(createForkSandbox({ ...options, concurrency: cores })),
  };
  return {
    cores,
    ways,
    close: async () => {
      await Promise.all([gate.close(), scorer.close()]);
    },
  };
};
type Bench = Awaited<ReturnType<typeof setUp>>;
type Name = keyof Bench['ways'];
const NAMES: readonly Name[] = ['floor', 'docker', 'fork'];

const timed = async (evaluate: () => Promise<void>): Promise<number> => {
  const begin = performance.now();
  await evaluate();
  return performance.now() - begin;
};

/** One at a time, the ways taking turns, so that what else the machine does touches all alike. */
const latencies = async ({ ways }: Bench, rounds: number): Promise<Record<Name, { median: number; p95: number }>> => {
  const open = Object.fromEntries(NAMES.map((name) => [name, ways[name]()])) as Record<Name, Way>;
  const times = Object.fromEntries(NAMES.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  try {
    for (let round = -3; round < rounds; round += 1)
      for (const name of NAMES) {
        await sleep(SETTLE_MS);
        const ms = await timed(open[name].evaluate);
        if (round >= 0) times[name].push(ms - OWN_CPU_MS);
      }
  } finally {
    await Promise.all(NAMES.map((name) => open[name].close()));
  }
  return Object.fromEntries(
    NAMES.map((name) => [
      name,
      { median: rounded(quantile(times[name], 0.5)), p95: rounded(quantile(times[name], 0.95)) },
    ]),
  ) as Record<Name, { median: number; p95: number }>;
};

/** Evaluations per second with one client per core that asks again at once. */
const throughput = async ({ ways, cores }: Bench, name: Name, seconds: number): Promise<number> => {
  const { evaluate, close } = ways[name]();
  try {
    for (let warm = 0; warm < 2 * cores; warm += 1) await evaluate();
    await sleep(2 * SETTLE_MS);
    const begin = performance.now();
    let done = 0;
    await Promise.all(
      Array.from({ length: cores }, async () => {
        while (performance.now() - begin < 1000 * seconds) {
          await evaluate();
          done += 1;
        }
      }),
    );
    return done / ((performance.now() - begin) / 1000);
  } finally {
    await close();
  }
};

export const benchSandbox = async (
  home: TestHome,
  say: (line: string) => void,
  judge: Judge,
  { rounds, seconds }: SandboxBenchFlags,
): Promise<unknown> => {
  await parts(home, 'prepare');
  const bench = await setUp(`bench${process.pid}`);
  try {
    say(
      `  task ${TASK}, a program of ${OWN_CPU_MS} ms of CPU; gate and scorer containers reused; ${rounds} rounds, ${seconds} s of throughput twice; load ${loadavg()[0]!.toFixed(2)}`,
    );
    const overhead = await latencies(bench, rounds);
    const loadAfterLatency = rounded(loadavg()[0]!, 2);
    say(`  overhead beyond the program's own CPU, dispatch to score, one at a time, ms (load ${loadAfterLatency}):`);
    for (const name of NAMES) {
      const { median, p95 } = overhead[name];
      const limit = name === 'floor' ? null : GOALS[name];
      say(
        `    ${name.padEnd(7)} median ${String(median).padStart(6)}   p95 ${String(p95).padStart(6)}   ${limit === null ? 'bare Docker: create, start, read, wait, remove' : judge({ what: `overhead, ${name}`, value: median, atMost: limit, unit: ' ms' }).text}`,
      );
    }
    // Twice in turn: what else the machine does would favour one of them.
    const perSecond: Record<string, number> = {};
    for (let turn = 0; turn < 2; turn += 1)
      for (const name of ['floor', 'docker', 'fork'] as const) {
        perSecond[name] = (perSecond[name] ?? 0) + (await throughput(bench, name, seconds)) / 2;
      }
    const loadAfter = rounded(loadavg()[0]!, 2);
    say(`  evaluations per second, ${bench.cores} at a time (load ${loadAfter}, this bench included):`);
    for (const name of ['floor', 'docker'] as const) say(`    ${name.padEnd(7)} ${rounded(perSecond[name]!)}`);
    say(
      `    fork    ${rounded(perSecond['fork']!)}   ${judge({ what: 'fork, per second', value: perSecond['fork']!, atLeast: PER_SECOND_GOAL }).text}`,
    );
    return {
      task: TASK,
      ownCpuMs: OWN_CPU_MS,
      rounds,
      seconds,
      overheadMs: overhead,
      perSecond,
      loadAfterLatency,
      loadAfter,
      goalsMs: GOALS,
    };
  } finally {
    await bench.close();
    await parts(home, 'release');
  }
};
