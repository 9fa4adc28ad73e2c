// One supervised process: started detached, watched, started again when it dies, stopped with grace.
import { spawn } from 'node:child_process';
import { closeSync, openSync, renameSync, statSync } from 'node:fs';
import { isAlive, type ProcessRef, signalGroup, waitGone } from '../host/process-identity.ts';
import { isHealthy } from './health.ts';
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

export type Child = {
  readonly plan: ChildPlan;
  /** Starts the process, or takes over one that runs already. */
  start(running?: UpProcess | null): void;
  /** Resolves when the process is healthy, or when it was stopped before that. */
  whenHealthy(): Promise<void>;
  stop(): Promise<void>;
  /** Stops watching and leaves the process running. */
  release(): void;
  state(): UpProcess | null;
};

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

export const createChild = ({ plan, onChange, note, backoff = BACKOFF }: Options): Child => {
  let current: ProcessRef | null = null;
  let healthy = false;
  let restarts = 0;
  let delayMs = backoff.firstMs;
  let startedAtMs = 0;
  let wanted = false;
  let timers: NodeJS.Timeout[] = [];
  let waiters: (() => void)[] = [];

  const wake = (): void => {
    for (const waiter of waiters) waiter();
    waiters = [];
  };
  const later = (ms: number, work: () => void): void => {
    timers.push(setTimeout(work, ms));
  };
  const clearTimers = (): void => {
    for (const timer of timers) clearTimeout(timer);
    timers = [];
  };

  const watchHealth = (of: ProcessRef): void => {
    const ask = async (): Promise<void> => {
      if (current !== of || !wanted) return;
      const good = await isHealthy(plan.health, { pid: of.pid, log: plan.log });
      if (current !== of || !wanted) return;
      if (!good) {
        later(performance.now() - startedAtMs < 10_000 ? 100 : 500, () => void ask());
        return;
      }
      healthy = true;
      wake();
      onChange();
    };
    void ask();
  };

  const died = (of: ProcessRef, how: string): void => {
    if (current !== of) return;
    clearTimers();
    // Processes that it started and left behind, in the same group, would hold its port or files.
    try {
      process.kill(-of.pid, 'SIGKILL');
    } catch {
      /* nothing left */
    }
    current = null;
    healthy = false;
    if (!wanted) {
      onChange();
      return;
    }
    delayMs =
      performance.now() - startedAtMs > backoff.resetMs || restarts === 0
        ? backoff.firstMs
        : Math.min(delayMs * 2, backoff.mostMs);
    note(`${plan.name} (pid ${of.pid}) ended: ${how}; starting it again in ${delayMs} ms (log: ${plan.log})`);
    onChange();
    later(delayMs, () => {
      restarts += 1;
      launch();
    });
  };

  const watchAdopted = (of: ProcessRef): void => {
    if (current !== of) return;
    if (isAlive(of)) later(ADOPTED_POLL_MS, () => watchAdopted(of));
    else died(of, 'gone');
  };

  const launch = (): void => {
    clearTimers();
    startedAtMs = performance.now();
    let log: number;
    try {
      log = openLog(plan.log);
    } catch (error) {
      note(`${plan.name} cannot be started: ${(error as Error).message}`);
      later(backoff.mostMs, launch);
      return;
    }
    const child = spawn(plan.file, [...plan.args], {
      cwd: plan.cwd,
      env: { ...plan.env },
      detached: true,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    const started: ProcessRef = child.pid === undefined ? { pid: -1, identity: 'never started' } : refOf(child.pid);
    current = started;
    child.once('error', (error) => {
      if (started.pid === -1) died(started, error.message);
    });
    child.once('exit', (code, name) => died(started, name ?? `code ${code}`));
    if (started.pid === -1) return;
    onChange();
    watchHealth(started);
  };

  const adopt = (running: UpProcess): void => {
    current = { pid: running.pid, identity: running.identity };
    startedAtMs = performance.now();
    healthy = false;
    restarts = running.restarts;
    note(`${plan.name} (pid ${running.pid}) runs already: taken over`);
    watchAdopted(current);
    watchHealth(current);
  };

  return {
    plan,
    start(running) {
      wanted = true;
      if (running) adopt(running);
      else launch();
    },
    whenHealthy: () =>
      healthy || !wanted
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiters.push(resolve);
          }),
    async stop() {
      wanted = false;
      wake();
      clearTimers();
      const target = current;
      if (target && target.pid > 0) await stopProcess(target, stopTimeoutOf(plan));
      current = null;
      healthy = false;
    },
    release() {
      wanted = false;
      wake();
      clearTimers();
      current = null;
    },
    state: () =>
      current && current.pid > 0
        ? {
            name: plan.name,
            ...current,
            port: plan.port,
            log: plan.log,
            role: plan.role,
            healthy,
            restarts,
            ...(plan.optional ? { optional: plan.optional } : {}),
          }
        : null,
  };
};

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
