// CPU seconds and resident memory of everything a run uses: the stack's processes and all their descendants, and the
// Docker engine.
import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;
export type Sample = { readonly cpuSeconds: number; readonly residentBytes: number };

type Stat = {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
  readonly cpuSeconds: number;
  readonly residentBytes: number;
};

const readStat = (pid: number): Stat | null => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const name = text.slice(text.indexOf('(') + 1, text.lastIndexOf(')'));
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    // Fields are counted from the state (3rd of proc(5)): ppid 1, utime 11, stime 12, cutime 13, cstime 14, rss 21.
    const number = (index: number): number => Number(fields[index]);
    return {
      pid,
      parent: number(1),
      name,
      cpuSeconds: (number(11) + number(12) + number(13) + number(14)) / TICKS_PER_SECOND,
      residentBytes: number(21) * 4096,
    };
  } catch {
    return null;
  }
};

const all = (): Stat[] =>
  readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map((entry) => readStat(Number(entry)))
    .filter((stat) => stat !== null);

/** The named processes with their descendants; containers' shims count to the engine. */
export const sampleProcesses = (
  named: readonly { readonly name: string; readonly pid: number }[],
): Record<string, Sample> => {
  const stats = all();
  const children = Map.groupBy(stats, (stat) => stat.parent);
  const byPid = new Map(stats.map((stat) => [stat.pid, stat]));
  const roots = [
    ...named,
    ...stats
      .filter((stat) => ['dockerd', 'containerd', 'containerd-shim'].some((name) => stat.name.startsWith(name)))
      .map((stat) => ({ name: 'docker engine', pid: stat.pid })),
  ];
  const seen = new Set<number>();
  const result: Record<string, Sample> = {};
  for (const root of roots) {
    const tree = [root.pid];
    for (let pid = tree.pop(); pid !== undefined; pid = tree.pop()) {
      const stat = byPid.get(pid);
      if (!stat || seen.has(pid)) continue;
      // The supervisor's children are listed under their own names.
      if (pid !== root.pid && named.some((one) => one.pid === pid)) continue;
      seen.add(pid);
      const before = result[root.name] ?? { cpuSeconds: 0, residentBytes: 0 };
      result[root.name] = {
        cpuSeconds: before.cpuSeconds + stat.cpuSeconds,
        residentBytes: before.residentBytes + stat.residentBytes,
      };
      tree.push(...(children.get(pid) ?? []).map((child) => child.pid));
    }
  }
  return result;
};

export const totalCpuSeconds = (samples: Record<string, Sample>): number =>
  Object.values(samples).reduce((sum, sample) => sum + sample.cpuSeconds, 0);
