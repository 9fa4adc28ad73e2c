// Tells whether a process is still the one we mean, and finds the processes of a home. Pids are used again; boot, pid
// and start time together are not.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

export type ProcessRef = { readonly pid: number; readonly identity: string };

const readText = (path: string): string | null => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
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
    const [state = '', ...started] = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
      encoding: 'utf8',
    })
      .trim()
      .split(/\s+/);
    return state === '' || state.startsWith('Z') ? null : started.join('-');
  } catch {
    return null;
  }
};

/** Returns null when no such process runs. A zombie counts as none. */
export const identityOf = (pid: number): string | null =>
  Number.isInteger(pid) && pid > 0 ? (hasProc ? fromProc(pid) : fromPs(pid)) : null;

export const isAlive = ({ pid, identity }: ProcessRef): boolean => identityOf(pid) === identity;

export const self = (): ProcessRef => ({ pid: process.pid, identity: identityOf(process.pid) ?? 'unknown' });

/** Signals the process if it is still the one meant. */
export const signal = (target: ProcessRef, name: NodeJS.Signals): boolean => {
  if (!isAlive(target)) return false;
  try {
    return process.kill(target.pid, name);
  } catch {
    return false;
  }
};

/**
 * Signals the process group that a child leads, so that nothing it started stays. Children are started as group
 * leaders.
 */
export const signalGroup = (target: ProcessRef, name: NodeJS.Signals): void => {
  if (!isAlive(target)) return;
  try {
    process.kill(-target.pid, name);
  } catch {
    signal(target, name);
  }
};

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Resolves to true when all of them are gone within the time. */
export const waitGone = async (targets: readonly ProcessRef[], timeoutMs: number): Promise<boolean> => {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    if (!targets.some(isAlive)) return true;
    if (performance.now() > deadline) return false;
    await sleep(50);
  }
};

/**
 * Every process of a home carries this mark in its environment, so that a process is found even when up.json is lost:
 * to take it over, or to see that none was left behind.
 */
const NAME = 'EVOLVE_CHILD';
export const mark = (homeHash: string, name: string): Record<string, string> => ({ [NAME]: `${homeHash}/${name}` });

type MarkedProcess = ProcessRef & {
  readonly name: string;
  /** Started by the supervisor itself, not by one of its children. */ readonly leader: boolean;
};

/** With what environment a process was started; empty where this cannot be read. */
export const environmentOf = (pid: number): Readonly<Record<string, string>> =>
  Object.fromEntries(
    read(`/proc/${pid}/environ`)
      .split('\0')
      .flatMap((entry) => {
        const at = entry.indexOf('=');
        return at > 0 ? [[entry.slice(0, at), entry.slice(at + 1)]] : [];
      }),
  );

const read = (path: string): string => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
};

const groupOf = (pid: number): number => {
  const stat = read(`/proc/${pid}/stat`);
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
};

/** The list is empty on a system without /proc. */
export const markedProcesses = (homeHash: string): readonly MarkedProcess[] => {
  const wanted = `\0${NAME}=${homeHash}/`;
  let pids: string[];
  try {
    pids = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry));
  } catch {
    return [];
  }
  return pids.flatMap((entry) => {
    const environment = `\0${read(`/proc/${entry}/environ`)}`;
    const at = environment.indexOf(wanted);
    const pid = Number(entry);
    const identity = at === -1 ? null : identityOf(pid);
    if (identity === null) return [];
    const start = at + wanted.length;
    return [
      { pid, identity, name: environment.slice(start, environment.indexOf('\0', start)), leader: groupOf(pid) === pid },
    ];
  });
};
