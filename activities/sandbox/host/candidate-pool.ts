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
import { CandidateOutput } from './candidate-output.ts';

export type Seat = { readonly confined: Confined; readonly output: CandidateOutput; readonly bornAt: number };

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

/**
 * Starts a process that waits for its program. A program that needs devices gets one of its own, which never waited.
 */
export const boot = async ({ launcher, limits, devices, preset, runtime }: Boot): Promise<Seat> => {
  const output = new CandidateOutput(limits.outputBytes);
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

export class CandidatePool {
  readonly #options: Options;
  readonly #ready: Seat[] = [];
  readonly #waiters: Waiter[] = [];
  #starting = 0;
  #closed = false;
  #lastTaken = performance.now();
  #retryMs = FIRST_RETRY_MS;
  #retry: NodeJS.Timeout | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /**
   * Resolves to a waiting process, or to the next one that gets ready. Throws InfrastructureError when none can be
   * started.
   */
  take(signal: AbortSignal): Promise<Seat> {
    this.#lastTaken = performance.now();
    const seat = this.#ready.shift();
    if (seat) {
      // Refilling starts a moment later: the program that was waited for comes first.
      setImmediate(() => this.#fill());
      return Promise.resolve(seat);
    }
    const { promise, resolve, reject } = Promise.withResolvers<Seat>();
    const waiter = { resolve, reject };
    this.#waiters.push(waiter);
    const leave = (): void => {
      const index = this.#waiters.indexOf(waiter);
      if (index < 0) return;
      this.#waiters.splice(index, 1);
      reject(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    this.#fill();
    return promise.finally(() => signal.removeEventListener('abort', leave));
  }

  /** Removes waiting processes that are stale, or all when nothing was taken for a while. */
  tidy(): void {
    const idle = performance.now() - this.#lastTaken > IDLE_MS;
    for (const seat of this.#ready.filter(({ bornAt }) => idle || performance.now() - bornAt > WAITING_MAX_AGE_MS)) {
      this.#ready.splice(this.#ready.indexOf(seat), 1);
      void seat.confined.remove();
    }
    this.#fill();
  }

  /** The number of programs that wait for a process. */
  get wanted(): number {
    return this.#waiters.length;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    for (const waiter of this.#waiters.splice(0)) waiter.reject(new InfrastructureError('the sandbox was closed'));
    await Promise.all(this.#ready.splice(0).map((seat) => seat.confined.remove()));
    while (this.#starting > 0) await sleep(20);
  }

  #place(seat: Seat): void {
    this.#retryMs = FIRST_RETRY_MS;
    const waiter = this.#waiters.shift();
    if (waiter) return waiter.resolve(seat);
    this.#ready.push(seat);
    void seat.confined.ended.then(() => {
      const index = this.#ready.indexOf(seat);
      if (index < 0) return;
      // It died while it was waiting: the engine went away, or somebody removed it.
      this.#ready.splice(index, 1);
      void seat.confined.remove();
      this.#fillLater();
    });
  }

  #failed(error: unknown): void {
    if (this.#waiters.length > 0) {
      for (const waiter of this.#waiters.splice(0)) waiter.reject(error);
    } else if (this.#retryMs === FIRST_RETRY_MS)
      this.#options.log(`sandbox: ${(error as Error).message}; trying again`);
    this.#fillLater();
  }

  async #startOne(): Promise<void> {
    this.#starting += 1;
    const outcome = await timed('containerStart', { level: this.#options.launcher.level }, () =>
      boot(this.#options),
    ).then(
      (seat) => ({ seat }),
      (error: unknown) => ({ error }),
    );
    if (this.#closed && 'seat' in outcome) await outcome.seat.confined.remove();
    this.#starting -= 1;
    if (this.#closed) return;
    if ('error' in outcome) return this.#failed(outcome.error);
    this.#place(outcome.seat);
    this.#fill();
  }

  #fill(): void {
    if (this.#closed) return;
    const idle = performance.now() - this.#lastTaken > IDLE_MS;
    const wanted = (idle ? 0 : this.#options.size) + this.#waiters.length - this.#ready.length - this.#starting;
    for (let count = Math.min(wanted, this.#options.starting - this.#starting); count > 0; count -= 1)
      void this.#startOne();
  }

  #fillLater(): void {
    if (this.#closed || this.#retry) return;
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      this.#fill();
    }, this.#retryMs);
    this.#retry.unref();
    this.#retryMs = Math.min(this.#retryMs * 2, LAST_RETRY_MS);
  }
}
