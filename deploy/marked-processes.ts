// Finds the processes of a home by a mark in their environment: nothing is lost when up.json is. Used to adopt, and to check that nothing is orphaned.
import { readdirSync, readFileSync } from 'node:fs';
import { identityOf, type ProcessRef } from './process-identity.ts';

const NAME = 'EVOLVE_CHILD';
export const mark = (homeHash: string, name: string): Record<string, string> => ({ [NAME]: `${homeHash}/${name}` });

export type MarkedProcess = ProcessRef & { readonly name: string; /** Started by the supervisor itself, not by one of its children. */ readonly leader: boolean };

const read = (path: string): string => { try { return readFileSync(path, 'latin1'); } catch { return ''; } };

const groupOf = (pid: number): number => {
  const stat = read(`/proc/${pid}/stat`);
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
};

/** Empty where there is no /proc. */
export const markedProcesses = (homeHash: string): readonly MarkedProcess[] => {
  const wanted = `\0${NAME}=${homeHash}/`;
  let pids: string[];
  try { pids = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry)); } catch { return []; }
  return pids.flatMap((entry) => {
    const environment = `\0${read(`/proc/${entry}/environ`)}`;
    const at = environment.indexOf(wanted);
    const pid = Number(entry);
    const identity = at === -1 ? null : identityOf(pid);
    if (identity === null) return [];
    const start = at + wanted.length;
    return [{ pid, identity, name: environment.slice(start, environment.indexOf('\0', start)), leader: groupOf(pid) === pid }];
  });
};
