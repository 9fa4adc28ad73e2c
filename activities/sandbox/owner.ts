// Names a process so that a later one can tell whether it still lives: pid and start time (labels of containers, reaper.ts).
import { readFileSync } from 'node:fs';

/** Field 22 of /proc/<pid>/stat; null when there is no such process or it is a zombie. */
const startTime = (pid: number): string | null => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? null : fields[19] ?? null;
  } catch {
    return null;
  }
};

export const ownOwner = (): string => `${process.pid}-${startTime(process.pid) ?? '0'}`;

export const ownerLives = (owner: string): boolean => {
  const [pid, started] = owner.split('-');
  return started !== undefined && startTime(Number(pid)) === started;
};
