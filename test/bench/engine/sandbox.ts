// What an evaluation costs beyond the program's own CPU time, at the default level and in a container for each program:
// CPU of the whole machine, programs per second with as many at a time as there are cores, and the time from dispatch to
// score of one at a time. The program imports numpy and scipy.
import { execFile } from 'node:child_process';
import { availableParallelism, cpus, loadavg } from 'node:os';
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
import { coresBusy, type Judge, timesNow } from '../conditions.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const TASK = 'circle-packing-square-26';
const OWN_CPU_MS = 1;
/** Busy for 1 ms of its own CPU time, then a small valid solution. */
const PROGRAM = `import time
import numpy
import scipy.optimize

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

type Way = {
  readonly level: () => string;
  readonly evaluate: () => Promise<void>;
  readonly close: () => Promise<void>;
};
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
      level: () => sandbox.level,
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
  const ways = {
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
const NAMES: readonly Name[] = ['docker', 'fork'];
type Times = { readonly p50Ms: number; readonly p95Ms: number };
type Rate = { readonly level: string; readonly cpuMsPerProgram: number; readonly programsPerSecond: number };

const timed = async (evaluate: () => Promise<void>): Promise<number> => {
  const begin = performance.now();
  await evaluate();
  return performance.now() - begin;
};

/** One at a time, the ways taking turns, so that what else the machine does touches all alike. */
const latencies = async ({ ways }: Bench, rounds: number): Promise<Record<Name, Times>> => {
  const open = { docker: ways.docker(), fork: ways.fork() };
  const times: Record<Name, number[]> = { docker: [], fork: [] };
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
  const of = (name: Name): Times => ({
    p50Ms: rounded(quantile(times[name], 0.5)),
    p95Ms: rounded(quantile(times[name], 0.95)),
  });
  return { docker: of('docker'), fork: of('fork') };
};

/** One client per core asks again at once. The CPU is that of the whole machine, the container engine included. */
const throughput = async ({ ways, cores }: Bench, name: Name, seconds: number): Promise<Rate> => {
  const { evaluate, close, level } = ways[name]();
  try {
    for (let warm = 0; warm < 2 * cores; warm += 1) await evaluate();
    await sleep(2 * SETTLE_MS);
    const [begin, before] = [performance.now(), timesNow()];
    let done = 0;
    await Promise.all(
      Array.from({ length: cores }, async () => {
        while (performance.now() - begin < 1000 * seconds) {
          await evaluate();
          done += 1;
        }
      }),
    );
    const took = performance.now() - begin;
    const busy = coresBusy(before, timesNow(), cpus().length);
    return {
      level: level(),
      cpuMsPerProgram: rounded((busy * took) / done - OWN_CPU_MS),
      programsPerSecond: rounded(done / (took / 1000)),
    };
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
      `  task ${TASK}, ${OWN_CPU_MS} ms of CPU of its own, ${bench.cores} at a time; load ${loadavg()[0]!.toFixed(2)}`,
    );
    const times = await latencies(bench, rounds);
    const docker = { ...(await throughput(bench, 'docker', seconds)), ...times.docker };
    const fork = { ...(await throughput(bench, 'fork', seconds)), ...times.fork };
    for (const { level, cpuMsPerProgram, programsPerSecond, p50Ms, p95Ms } of [docker, fork])
      say(
        `  ${level.padEnd(7)} CPU ${cpuMsPerProgram} ms a program, ${programsPerSecond} a second; dispatch to score ${p50Ms} ms, 95 % within ${p95Ms}`,
      );
    for (const goal of [
      { what: 'CPU of a program', value: fork.cpuMsPerProgram, atMost: 12, unit: ' ms' },
      { what: 'dispatch to score', value: fork.p50Ms, atMost: 20, unit: ' ms' },
      { what: 'programs a second', value: fork.programsPerSecond, atLeast: 60 },
    ])
      say(`  ${goal.what}: ${judge(goal).text}`);
    return { ...fork, docker };
  } finally {
    await bench.close();
    await parts(home, 'release');
  }
};
