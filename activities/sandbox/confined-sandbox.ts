// One candidate in one fresh process: takes a waiting one, hands the program over, collects the claim, removes it.
// The same for every launcher; made by docker-sandbox.ts and bubblewrap-sandbox.ts.
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TaskLimits } from '../../evolution/task.ts';
import { createCandidatePool } from './candidate-pool.ts';
import type { CandidatePool, Seat } from './candidate-pool.ts';
import { classify } from './classify.ts';
import type { Ending, Launcher, Log } from './confined.ts';
import { encodeRequest } from './frames.ts';
import { createPresetVote } from './import-preset.ts';
import { createPermits } from '../permits.ts';
import { InfrastructureError } from './types.ts';
import type { Execution, Sandbox, SandboxJob } from './types.ts';

export type ConfinedSandboxOptions = {
  readonly launcher: Launcher;
  readonly home: string;
  readonly concurrency: number;
  readonly poolSize: number;
  readonly log: Log;
  /** Closed together with the sandbox. */
  readonly onClose?: () => Promise<void>;
};

const TIDY_MS = 60_000;
/** How long a killed process may take to be gone before the engine counts as broken. */
const KILL_GRACE_MS = 20_000;
/** Pools kept for so many different limits; the least recently used one is closed. */
const POOLS = 2;

const limitsKey = (limits: TaskLimits): string => JSON.stringify([limits.cpuSeconds, limits.memoryBytes, limits.outputBytes, limits.pids, limits.wallSeconds]);
const containerName = (home: string, key: string): string => `evolve-${home}-${createHash('sha256').update(key).digest('hex').slice(0, 24)}`;

export const createConfinedSandbox = (options: ConfinedSandboxOptions): Sandbox => {
  const { launcher } = options;
  const pools = new Map<string, CandidatePool>();
  const permits = createPermits(options.concurrency);
  const vote = createPresetVote();
  const running = new Set<Seat>();
  const removals = new Set<Promise<void>>();
  const tidy = setInterval(() => { for (const pool of pools.values()) pool.tidy(); }, TIDY_MS);
  tidy.unref();

  const poolFor = (limits: TaskLimits): CandidatePool => {
    const key = limitsKey(limits);
    const pool = pools.get(key) ?? createCandidatePool({ launcher, limits, size: options.poolSize, starting: options.concurrency, preset: vote.current, log: options.log });
    pools.delete(key);
    pools.set(key, pool);
    for (const [other, unused] of pools) if (pools.size > POOLS) {
      pools.delete(other);
      void unused.close();
    }
    return pool;
  };
  const dispose = (seat: Seat): void => {
    running.delete(seat);
    const removal = seat.confined.remove().finally(() => removals.delete(removal));
    removals.add(removal);
  };

  const run = async (job: SandboxJob, signal: AbortSignal): Promise<Execution> => {
    const release = await permits.acquire(signal);
    try {
      vote.note(job.code);
      const seat = await poolFor(job.limits).take(signal);
      running.add(seat);
      try {
        return await execute({ seat, job, signal, name: containerName(options.home, job.key), launcher });
      } finally {
        dispose(seat);
      }
    } finally {
      release();
    }
  };
  const close = async (): Promise<void> => {
    clearInterval(tidy);
    await Promise.all([...running].map(seat => seat.confined.kill()));
    await Promise.all([...pools.values()].map(pool => pool.close()));
    await Promise.all(removals);
    await options.onClose?.();
    await launcher.close();
  };
  return { level: launcher.level, get imageId() { return launcher.imageId; }, run, close };
};

type Run = { readonly seat: Seat; readonly job: SandboxJob; readonly signal: AbortSignal; readonly name: string; readonly launcher: Launcher };

const execute = async ({ seat, job, signal, name, launcher }: Run): Promise<Execution> => {
  const { confined, output } = seat;
  const { promise: killed, resolve: setKilled } = Promise.withResolvers<void>();
  const kill = (): void => { void confined.kill().then(() => setKilled()); };
  let wallFired = false;
  signal.throwIfAborted();
  await confined.claim(name);
  confined.markUse();
  output.onCap = kill;
  const startedAt = performance.now();
  const timer = setTimeout(() => { wallFired = true; kill(); }, job.limits.wallSeconds * 1000);
  signal.addEventListener('abort', kill, { once: true });
  if (signal.aborted) kill();
  try {
    confined.send(encodeRequest({ code: job.code, entry: job.entry, instance: job.instance, output_bytes: job.limits.outputBytes }));
    confined.closeInput();
    const stuck = killed.then(() => sleep(KILL_GRACE_MS, undefined, { ref: false })).then((): Ending => ({ exitCode: null, oom: false, lost: 'it could not be killed' }));
    const ending = await Promise.race([confined.ended, stuck]);
    signal.throwIfAborted();
    return describe({ seat, job, ending, wallFired, wallMs: Math.round(performance.now() - startedAt), launcher });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', kill);
  }
};

type Finished = { readonly seat: Seat; readonly job: SandboxJob; readonly ending: Ending; readonly wallFired: boolean; readonly wallMs: number; readonly launcher: Launcher };

const describe = ({ seat, job, ending, wallFired, wallMs, launcher }: Finished): Execution => {
  const { output } = seat;
  const use = seat.confined.use();
  const result = output.result();
  const kind = classify({
    lost: ending.lost, capFired: output.capFired(), wallFired, oom: ending.oom, exitCode: ending.exitCode,
    cpuMs: use.cpuMs, wallMs, cpuLimitMs: job.limits.cpuSeconds * 1000, frame: result.frame,
  });
  if (kind === 'infrastructure') throw new InfrastructureError(`a candidate container was lost: ${ending.lost}`);
  const timedOut = kind === 'timeout_cpu' || kind === 'timeout_wall';
  const saved = timedOut && job.acceptSavedOnTimeout ? output.checkpoint() : undefined;
  const refusal = kind === 'invalid_output' && result.refusal !== null ? `solution refused: ${result.refusal}\n` : '';
  return {
    kind, solution: kind === 'ok' ? result.solution : saved, exitCode: ending.exitCode, oom: ending.oom,
    cpuMs: use.cpuMs, wallMs, peakBytes: use.peakBytes, stdoutTail: '', stderrTail: output.stderrTail() + refusal,
    truncated: output.truncated(), isolation: launcher.level, imageId: launcher.imageId,
  };
};
