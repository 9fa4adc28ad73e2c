// One supervised process: started detached, watched, started again when it dies, stopped with grace.
import { spawn } from 'node:child_process';
import { closeSync, openSync, renameSync, statSync } from 'node:fs';
import { isAlive, type ProcessRef, signalGroup, waitGone } from '../host/process-identity.ts';
import { isHealthy, reportedPort } from './health.ts';
import { type ChildPlan, refOf, stopTimeoutOf, type UpProcess } from './plan.ts';

export type Backoff = {
  readonly firstMs: number;
  readonly mostMs: number;
  /** After a life of this length, a process that dies is started again with the first delay. */
  readonly resetMs: number;
};
const BACKOFF: Backoff = { firstMs: 200, mostMs: 10_000, resetMs: 30_000 };
const ADOPTED_POLL_MS = 200;
const LOG_CAP_BYTES = 10 * 1024 * 1024;

type Options = {
  readonly plan: ChildPlan;
  readonly onChange: () => void;
  readonly note: (line: string) => void;
  readonly backoff?: Backoff;
};

/** Opens a log and keeps one old one. Logs are rotated when a process starts. */
export const openLog = (file: string): number => {
  try {
    if (statSync(file).size > LOG_CAP_BYTES) renameSync(file, `${file}.1`);
  } catch {
    /* no log yet */
  }
  return openSync(file, 'a', 0o600);
};

export class Child {
  readonly plan: ChildPlan;
  readonly #options: Options;
  readonly #backoff: Backoff;
  #current: ProcessRef | null = null;
  /** The process before, while none runs. */
  #last: ProcessRef | null = null;
  #port: number | null;
  #ended: NonNullable<UpProcess['ended']> | null = null;
  #healthy = false;
  #restarts = 0;
  #delayMs: number;
  #startedAtMs = 0;
  #wanted = false;
  #timers: NodeJS.Timeout[] = [];
  #waiters: (() => void)[] = [];

  constructor(options: Options) {
    this.plan = options.plan;
    this.#port = options.plan.port;
    this.#options = options;
    this.#backoff = options.backoff ?? BACKOFF;
    this.#delayMs = this.#backoff.firstMs;
  }

  #wake(): void {
    for (const waiter of this.#waiters) waiter();
    this.#waiters = [];
  }

  #later(ms: number, work: () => void): void {
    this.#timers.push(setTimeout(work, ms));
  }

  #clearTimers(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers = [];
  }

  #watchHealth(of: ProcessRef): void {
    const ask = async (): Promise<void> => {
      if (this.#current !== of || !this.#wanted) return;
      const good = await isHealthy(this.plan.health, { pid: of.pid, log: this.plan.log });
      if (this.#current !== of || !this.#wanted) return;
      if (!good) {
        this.#later(performance.now() - this.#startedAtMs < 10_000 ? 100 : 500, () => void ask());
        return;
      }
      this.#healthy = true;
      if (this.plan.health.kind === 'ready-line')
        this.#port = reportedPort({ pid: of.pid, log: this.plan.log }) ?? this.plan.port;
      this.#wake();
      this.#options.onChange();
      if (this.#ended === null) return;
      const lived = performance.now() - this.#startedAtMs;
      this.#later(Math.max(0, this.#backoff.resetMs - lived), () => {
        this.#ended = null;
        this.#options.onChange();
      });
    };
    void ask();
  }

  #died(of: ProcessRef, how: string): void {
    if (this.#current !== of) return;
    this.#clearTimers();
    // Processes that it started and left behind, in the same group, would hold its port or files.
    try {
      process.kill(-of.pid, 'SIGKILL');
    } catch {
      /* nothing left */
    }
    this.#last = of;
    this.#current = null;
    this.#healthy = false;
    if (!this.#wanted) {
      this.#options.onChange();
      return;
    }
    const ranOn = performance.now() - this.#startedAtMs > this.#backoff.resetMs;
    this.#ended = { times: 1 + (ranOn ? 0 : (this.#ended?.times ?? 0)), how };
    this.#delayMs =
      ranOn || this.#restarts === 0 ? this.#backoff.firstMs : Math.min(this.#delayMs * 2, this.#backoff.mostMs);
    this.#options.note(
      `${this.plan.name} (pid ${of.pid}) ended: ${how}; starting it again in ${this.#delayMs} ms (log: ${this.plan.log})`,
    );
    this.#options.onChange();
    this.#later(this.#delayMs, () => {
      this.#restarts += 1;
      this.#launch();
    });
  }

  #watchAdopted(of: ProcessRef): void {
    if (this.#current !== of) return;
    if (isAlive(of)) this.#later(ADOPTED_POLL_MS, () => this.#watchAdopted(of));
    else this.#died(of, 'gone');
  }

  #launch(): void {
    this.#clearTimers();
    this.#startedAtMs = performance.now();
    let log: number;
    try {
      log = openLog(this.plan.log);
    } catch (error) {
      this.#options.note(`${this.plan.name} cannot be started: ${(error as Error).message}`);
      this.#later(this.#backoff.mostMs, () => this.#launch());
      return;
    }
    const child = spawn(this.plan.file, [...this.plan.args], {
      cwd: this.plan.cwd,
      env: { ...this.plan.env },
      detached: true,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    const started: ProcessRef = child.pid === undefined ? { pid: -1, identity: 'never started' } : refOf(child.pid);
    this.#current = started;
    child.once('error', (error) => {
      if (started.pid === -1) this.#died(started, error.message);
    });
    child.once('exit', (code, name) => this.#died(started, name ?? `code ${code}`));
    if (started.pid === -1) return;
    this.#options.onChange();
    this.#watchHealth(started);
  }

  #adopt(running: UpProcess): void {
    this.#current = { pid: running.pid, identity: running.identity };
    this.#startedAtMs = performance.now();
    this.#healthy = false;
    this.#restarts = running.restarts;
    this.#ended = running.ended ?? null;
    this.#port = running.port;
    this.#options.note(`${this.plan.name} (pid ${running.pid}) runs already: taken over`);
    this.#watchAdopted(this.#current);
    this.#watchHealth(this.#current);
  }

  /** Starts the process, or takes over one that runs already. */
  start(running: UpProcess | null): void {
    this.#wanted = true;
    if (running) this.#adopt(running);
    else this.#launch();
  }

  /** Resolves when the process is healthy, or when it was stopped before that. */
  whenHealthy(): Promise<void> {
    return this.#healthy || !this.#wanted
      ? Promise.resolve()
      : new Promise((resolve) => {
          this.#waiters.push(resolve);
        });
  }

  async stop(): Promise<void> {
    this.#unwatch();
    const target = this.#current;
    if (target && target.pid > 0) await stopProcess(target, stopTimeoutOf(this.plan));
    this.#current = null;
    this.#healthy = false;
  }

  /** Stops watching and leaves the process running. */
  release(): void {
    this.#unwatch();
    this.#current = null;
  }

  #unwatch(): void {
    this.#wanted = false;
    this.#wake();
    this.#clearTimers();
  }

  /** One that is about to be started again is there too, as the process that ended. */
  state(): UpProcess | null {
    const shown = this.#current ?? (this.#wanted ? this.#last : null);
    return shown !== null && shown.pid > 0
      ? {
          name: this.plan.name,
          ...shown,
          port: this.#port,
          log: this.plan.log,
          role: this.plan.role,
          healthy: this.#healthy,
          restarts: this.#restarts,
          ...(this.#ended === null ? {} : { ended: this.#ended }),
          ...(this.plan.optional ? { optional: this.plan.optional } : {}),
        }
      : null;
  }
}

/** Sends SIGTERM, gives the process time to finish, then sends SIGKILL to the whole group. */
export const stopProcess = async (target: ProcessRef, timeoutMs: number): Promise<void> => {
  // Only the leader is asked to stop, because it knows what to do with its own children.
  if (isAlive(target))
    try {
      process.kill(target.pid, 'SIGTERM');
    } catch {
      /* just ended */
    }
  await waitGone([target], timeoutMs);
  signalGroup(target, 'SIGKILL');
  await waitGone([target], 5_000);
  try {
    process.kill(-target.pid, 'SIGKILL');
  } catch {
    /* nothing left */
  }
};
