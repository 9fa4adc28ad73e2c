// The sandbox that is the same for every launcher: each candidate runs in a fresh process of a pool (one-candidate.ts),
// a limited number of them at a time.
import { isSingleUseContainer } from '../../../evolution/config/sandboxes.ts';
import type { TaskLimits } from '../../../evolution/task.ts';
import { sha256 } from '../../sha256.ts';
import { timed } from '../../telemetry/metrics.ts';
import { spanned } from '../../telemetry/spans.ts';
import type { Launcher, Log } from '../contract/confined.ts';
import { createPresetVote } from '../contract/import-preset.ts';
import { type Execution, InfrastructureError, type Sandbox, type SandboxJob } from '../contract/types.ts';
import { type CandidatePool, createCandidatePool, type Seat } from './candidate-pool.ts';
import type { Held } from './conversation.ts';
import { converseWith, execute } from './one-candidate.ts';
import { createPermits } from './permits.ts';

type ConfinedSandboxOptions = {
  readonly launcher: Launcher;
  readonly home: string;
  readonly concurrency: number;
  readonly poolSize: number;
  readonly log: Log;
  /** Awaited when the sandbox is closed. */
  readonly onClose?: () => Promise<void>;
};

const TIDY_MS = 60_000;
/** Number of pools that are kept for different limits. The least recently used one is closed. */
const POOLS = 2;

const poolKey = ({ limits, runtime }: Pooled): string =>
  JSON.stringify([
    limits.cpuSeconds,
    limits.memoryBytes,
    limits.outputBytes,
    limits.pids,
    limits.cores,
    limits.wallSeconds,
    runtime?.image,
    runtime?.command,
    runtime?.runner,
  ]);
type Pooled = { readonly limits: TaskLimits; readonly runtime?: SandboxJob['runtime'] };

const containerName = (home: string, key: string): string => `evolve-${home}-${sha256(key).slice(0, 24)}`;

export const createConfinedSandbox = (options: ConfinedSandboxOptions): Sandbox => {
  const { launcher } = options;
  const pools = new Map<string, CandidatePool>();
  const permits = createPermits(options.concurrency);
  /** One core for each permit. A timed program is pinned to the core of its permit. */
  const cores = Array.from({ length: options.concurrency }, (_, core) => core);
  const vote = createPresetVote();
  const running = new Set<Seat>();
  const removals = new Set<Promise<void>>();
  const tidy = setInterval(() => {
    for (const pool of pools.values()) pool.tidy();
  }, TIDY_MS);
  tidy.unref();

  const poolFor = ({ limits, runtime }: Pooled): CandidatePool => {
    const key = poolKey({ limits, runtime });
    const pool =
      pools.get(key) ??
      createCandidatePool({
        launcher,
        limits,
        size: options.poolSize,
        starting: options.concurrency,
        preset: vote.current,
        runtime,
        log: options.log,
      });
    pools.delete(key);
    pools.set(key, pool);
    // A pool that programs wait for stays, however many others there are.
    for (const [other, unused] of pools)
      if (pools.size > POOLS && other !== key && unused.wanted() === 0) {
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

  const seated = async <T>(
    job: Pick<SandboxJob, 'code'> & Pooled,
    signal: AbortSignal,
    use: (seat: Seat) => Promise<T>,
  ): Promise<T> => {
    if (job.runtime !== undefined && !isSingleUseContainer(launcher.level))
      throw new InfrastructureError(
        `isolation ${launcher.level} runs programs in Python only: set evaluation.sandbox to docker`,
      );
    if (job.runtime === undefined) vote.note(job.code);
    const seat = await poolFor(job).take(signal);
    running.add(seat);
    try {
      return await spanned('container', { level: launcher.level }, () =>
        timed('containerRun', { level: launcher.level }, () => use(seat)),
      );
    } finally {
      dispose(seat);
    }
  };
  const permitted = async <T>(
    { limits }: Pooled,
    signal: AbortSignal,
    use: (core: number) => Promise<T>,
  ): Promise<T> => {
    const release = await permits.acquire(signal, { count: limits.cores });
    const core = cores.shift()!;
    try {
      return await use(core);
    } finally {
      cores.push(core);
      release();
    }
  };

  const run = (job: SandboxJob, signal: AbortSignal): Promise<Execution> =>
    permitted(job, signal, () =>
      seated(job, signal, (seat) =>
        execute({ seat, job, signal, name: containerName(options.home, job.key), launcher }),
      ),
    );

  /** The reference has the same core and permit as the program, because the two never work at the same time. */
  const converse: Sandbox['converse'] = (job, talk, signal) =>
    permitted(job, signal, async (core) => {
      if (job.timed && !isSingleUseContainer(launcher.level))
        throw new InfrastructureError(
          `isolation ${launcher.level} cannot keep a program on a core of its own, so no time can be scored: set evaluation.sandbox to docker`,
        );
      const open = (key: string, code: string, use: (held: Held) => Promise<void>): Promise<Execution> =>
        seated({ code, limits: job.limits, runtime: job.runtime }, signal, async (seat) => {
          if (job.timed) await seat.confined.pin?.(core);
          return converseWith({
            seat,
            job: { ...job, key, code },
            signal,
            name: containerName(options.home, key),
            launcher,
            use,
          });
        });
      const { reference } = job;
      if (reference === null) return open(job.key, job.code, (held) => talk(held, null));
      let own: Execution | undefined;
      const beside = await open(`${job.key}:reference`, reference, async (other) => {
        own = await open(job.key, job.code, (held) => talk(held, other));
      });
      if (own === undefined)
        throw new InfrastructureError(
          `the reference program ended before it was called: ${beside.kind} ${beside.stderrTail.slice(-300)}`,
        );
      return own;
    });
  const close = async (): Promise<void> => {
    clearInterval(tidy);
    await Promise.all([...running].map((seat) => seat.confined.kill()));
    await Promise.all([...pools.values()].map((pool) => pool.close()));
    await Promise.all(removals);
    await options.onClose?.();
    await launcher.close();
  };
  return {
    level: launcher.level,
    get imageId() {
      return launcher.imageId;
    },
    run,
    converse,
    close,
  };
};
