// Pre-started, single-use processes that wait for one program each. A pool is for one set of limits, and is filled in
// the background.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TaskLimits } from '../../../evolution/task.ts';
import { timed } from '../../telemetry/metrics.ts';
import type { Confined, Launcher, Log } from '../contract/confined.ts';
import { MOST_STRETCH, steadyNow } from '../contract/fair-clock.ts';
import { type Preset, PRESET_MODULES } from '../contract/import-preset.ts';
import { InfrastructureError, type SandboxJob } from '../contract/types.ts';
import { type CandidateOutput, createCandidateOutput } from './candidate-output.ts';

export type Seat = { readonly confined: Confined; readonly output: CandidateOutput; readonly bornAt: number };

export type CandidatePool = {
  /**
   * Resolves to a waiting process, or to the next one that gets ready. Throws InfrastructureError when none can be
   * started.
   */
  take(signal: AbortSignal): Promise<Seat>;
  /** Removes waiting processes that are stale, or all when nothing was taken for a while. */
  tidy(): void;
  /** Number of programs that wait for a process. */
  wanted(): number;
  close(): Promise<void>;
};

const RUNNER = ['wire.py', 'files.py', 'runner.py']
  .map((file) => readFileSync(join(import.meta.dirname, '..', 'guest', file), 'utf8'))
  .join('\n');
const BOOT_TIMEOUT_MS = 180_000;
const WAITING_MAX_AGE_MS = 15 * 60_000;
const IDLE_MS = 5 * 60_000;
const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 10_000;

type Options = Boot & {
  readonly size: number;
  readonly starting: number;
  readonly log: Log;
};

type Boot = {
  readonly launcher: Launcher;
  readonly limits: TaskLimits;
  readonly devices?: readonly string[];
  readonly preset: () => Preset;
  readonly runtime: SandboxJob['runtime'];
};

type Waiter = { readonly resolve: (seat: Seat) => void; readonly reject: (error: unknown) => void };

/** Starts a process that waits for its program. A program that needs devices gets one of its own, which never waited. */
export const boot = async ({ launcher, limits, devices, preset, runtime }: Boot): Promise<Seat> => {
  const output = createCandidateOutput(limits.outputBytes);
  const confined = await launcher.launch({
    ...(runtime === undefined
      ? { source: RUNNER, args: PRESET_MODULES[preset()] }
      : { source: runtime.runner, args: [], runtime }),
    limits,
    ...(devices === undefined ? {} : { devices }),
    run: 'pool',
    activity: 'candidate',
    deadline: new Date(steadyNow().getTime() + WAITING_MAX_AGE_MS + limits.wallSeconds * 1000 * MOST_STRETCH + 120_000),
    onStdout: output.onStdout,
    onStderr: output.onStderr,
  });
  const state = await Promise.race([
    output.ready.then(() => 'ready' as const),
    confined.ended.then(
      (ending) => ending.lost ?? `it ended with exit code ${ending.exitCode}: ${output.stderrTail().slice(-300)}`,
    ),
    sleep(BOOT_TIMEOUT_MS, `it was not ready after ${BOOT_TIMEOUT_MS / 1000} s`, { ref: false }),
  ]);
  if (state === 'ready') {
    await confined.sample?.();
    return { confined, output, bornAt: performance.now() };
  }
  await confined.remove();
  throw new InfrastructureError(`a candidate container did not boot: ${state}`);
};

export const createCandidatePool = (options: Options): CandidatePool => {
  const ready: Seat[] = [];
  const waiters: Waiter[] = [];
  let starting = 0;
  let closed = false;
  let lastTaken = performance.now();
  let retryMs = FIRST_RETRY_MS;
  let retry: NodeJS.Timeout | undefined;

  const place = (seat: Seat): void => {
    retryMs = FIRST_RETRY_MS;
    const waiter = waiters.shift();
    if (waiter) return waiter.resolve(seat);
    ready.push(seat);
    void seat.confined.ended.then(() => {
      const index = ready.indexOf(seat);
      if (index < 0) return;
      // It died while it was waiting: the engine went away, or somebody removed it.
      ready.splice(index, 1);
      void seat.confined.remove();
      fillLater();
    });
  };
  const failed = (error: unknown): void => {
    if (waiters.length > 0) {
      for (const waiter of waiters.splice(0)) waiter.reject(error);
    } else if (retryMs === FIRST_RETRY_MS) options.log(`sandbox: ${(error as Error).message}; trying again`);
    fillLater();
  };
  const startOne = async (): Promise<void> => {
    starting += 1;
    const outcome = await timed('containerStart', { level: options.launcher.level }, () => boot(options)).then(
      (seat) => ({ seat }),
      (error: unknown) => ({ error }),
    );
    if (closed && 'seat' in outcome) await outcome.seat.confined.remove();
    starting -= 1;
    if (closed) return;
    if ('error' in outcome) return failed(outcome.error);
    place(outcome.seat);
    fill();
  };
  const fill = (): void => {
    if (closed) return;
    const idle = performance.now() - lastTaken > IDLE_MS;
    const wanted = (idle ? 0 : options.size) + waiters.length - ready.length - starting;
    for (let count = Math.min(wanted, options.starting - starting); count > 0; count -= 1) void startOne();
  };
  const fillLater = (): void => {
    if (closed || retry) return;
    retry = setTimeout(() => {
      retry = undefined;
      fill();
    }, retryMs);
    retry.unref();
    retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
  };
  const take = (signal: AbortSignal): Promise<Seat> => {
    lastTaken = performance.now();
    const seat = ready.shift();
    if (seat) {
      // Refilling starts a moment later: the program that was waited for comes first.
      setImmediate(fill);
      return Promise.resolve(seat);
    }
    const { promise, resolve, reject } = Promise.withResolvers<Seat>();
    const waiter = { resolve, reject };
    waiters.push(waiter);
    const leave = (): void => {
      const index = waiters.indexOf(waiter);
      if (index < 0) return;
      waiters.splice(index, 1);
      reject(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    fill();
    return promise.finally(() => signal.removeEventListener('abort', leave));
  };
  const tidy = (): void => {
    const idle = performance.now() - lastTaken > IDLE_MS;
    for (const seat of ready.filter(({ bornAt }) => idle || performance.now() - bornAt > WAITING_MAX_AGE_MS)) {
      ready.splice(ready.indexOf(seat), 1);
      void seat.confined.remove();
    }
    fill();
  };
  return {
    take,
    tidy,
    wanted: () => waiters.length,
    close: async () => {
      closed = true;
      clearTimeout(retry);
      for (const waiter of waiters.splice(0)) waiter.reject(new InfrastructureError('the sandbox was closed'));
      await Promise.all(ready.splice(0).map((seat) => seat.confined.remove()));
      while (starting > 0) await sleep(20);
    },
  };
};
