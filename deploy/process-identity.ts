// Tells whether a process is still the one we mean: pids are reused, (boot, pid, start time) is not. Used by locks, up.json and the supervisor.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

export type ProcessRef = { readonly pid: number; readonly identity: string };

const readText = (path: string): string | null => {
  try { return readFileSync(path, 'utf8'); } catch { return null; }
};

const hasProc = existsSync('/proc/self/stat');
const boot = readText('/proc/sys/kernel/random/boot_id')?.trim().slice(0, 8) ?? 'boot';

const fromProc = (pid: number): string | null => {
  const stat = readText(`/proc/${pid}/stat`);
  if (stat === null) return null;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, startTicks] = [fields[0], fields[19]];
  // A zombie does nothing and holds nothing: it counts as gone even where process 1 is slow to reap it.
  return state === 'Z' || state === 'X' ? null : `${boot}-${startTicks}`;
};

const fromPs = (pid: number): string | null => {
  try {
    const [state = '', ...started] = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim().split(/\s+/);
    return state === '' || state.startsWith('Z') ? null : started.join('-');
  } catch { return null; }
};

/** Null when no such process runs (a zombie counts as none). */
export const identityOf = (pid: number): string | null =>
  Number.isInteger(pid) && pid > 0 ? (hasProc ? fromProc(pid) : fromPs(pid)) : null;

export const isAlive = ({ pid, identity }: ProcessRef): boolean => identityOf(pid) === identity;

export const self = (): ProcessRef => ({ pid: process.pid, identity: identityOf(process.pid) ?? 'unknown' });

/** Signals the process if it is still the one meant. */
export const signal = (target: ProcessRef, name: NodeJS.Signals): boolean => {
  if (!isAlive(target)) return false;
  try { return process.kill(target.pid, name); } catch { return false; }
};

/** Signals the process group a child leads (children are started as group leaders), so that nothing it started stays. */
export const signalGroup = (target: ProcessRef, name: NodeJS.Signals): void => {
  if (!isAlive(target)) return;
  try { process.kill(-target.pid, name); } catch { signal(target, name); }
};

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** True when all are gone within the time. */
export const waitGone = async (targets: readonly ProcessRef[], timeoutMs: number): Promise<boolean> => {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    if (!targets.some(isAlive)) return true;
    if (Date.now() > deadline) return false;
    await sleep(50);
  }
};
