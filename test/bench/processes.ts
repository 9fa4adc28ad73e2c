// CPU seconds and memory of what belongs to one home, and of nothing else on the machine: its processes by ancestry
// and by the mark in their environment, its containers by their cgroups. Docker's own daemon serves every
// installation of a machine and is nobody's.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { markedProcesses } from '../../deploy/host/process-identity.ts';
import { isGroupOf } from '../../deploy/parts/docker/control-groups.ts';

const TICKS_PER_SECOND = 100;
const PAGE_BYTES = 4096;

export type ProcessStat = {
  readonly pid: number;
  readonly parent: number;
  /** In ticks since the boot: with the pid it names a process for good. */
  readonly started: string;
  readonly cpuSeconds: number;
  /** Of its children that ended and that it has waited for, with all that those had waited for. */
  readonly childrenSeconds: number;
  readonly residentBytes: number;
};
export type Owned = ProcessStat & { readonly owner: string };
export type Group = { readonly name: string; readonly cpuSeconds: number; readonly residentBytes: number };
export type Sample = { readonly processes: readonly Owned[]; readonly groups: readonly Group[] };
type Root = { readonly name: string; readonly pid: number };

/** A line of /proc/<pid>/stat. */
export const parseStat = (text: string): ProcessStat => {
  // A name may hold spaces and parentheses. Fields count from the state, the 3rd of proc_pid_stat(5).
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const number = (field: number): number => Number(fields[field - 3]);
  return {
    pid: Number.parseInt(text, 10),
    parent: number(4),
    started: fields[22 - 3]!,
    cpuSeconds: (number(14) + number(15)) / TICKS_PER_SECOND,
    childrenSeconds: (number(16) + number(17)) / TICKS_PER_SECOND,
    residentBytes: number(24) * PAGE_BYTES,
  };
};

/** Listed among the processes of a home that uses it (deploy/supervisor.ts), and serves all. */
const SHARED = 'dockerd';

/** The roots and what descends from them, each process under its nearest root's name. */
export const ownedBy = (stats: readonly ProcessStat[], roots: readonly Root[]): readonly Owned[] => {
  const named = new Map(roots.map(({ name, pid }) => [pid, name]));
  const byPid = new Map(stats.map((stat) => [stat.pid, stat]));
  const ownerOf = (pid: number): string | undefined => {
    for (let at: ProcessStat | undefined = byPid.get(pid); at; at = byPid.get(at.parent))
      if (named.has(at.pid)) return named.get(at.pid);
    return undefined;
  };
  return stats.flatMap((stat) => {
    const owner = ownerOf(stat.pid);
    return owner === undefined || owner === SHARED ? [] : [{ ...stat, owner }];
  });
};

const keyOf = ({ pid, started }: ProcessStat): string => `${pid}@${started}`;

/**
 * CPU seconds between two samples by owner, never below 0. A process that ended in between is in what its parent has
 * waited for, whole: what was counted of it before is taken off there, and nowhere else. One that nobody here waited
 * for has its last moments uncounted.
 */
export const gains = (before: Sample, after: Sample): Readonly<Record<string, number>> => {
  const result: Record<string, number> = {};
  const add = (name: string, seconds: number): void => {
    result[name] = (result[name] ?? 0) + Math.max(0, seconds);
  };
  const known = new Map(before.processes.map((one) => [keyOf(one), one]));
  const living = new Set(after.processes.map(keyOf));
  const byPid = new Map(before.processes.map((one) => [one.pid, one]));
  /** A parent that ended too has handed what it waited for on to its own parent. */
  const heirOf = ({ parent }: ProcessStat): number => {
    const one = byPid.get(parent);
    return one === undefined || living.has(keyOf(one)) ? parent : heirOf(one);
  };
  const endedUnder = Map.groupBy(
    before.processes.filter((one) => !living.has(keyOf(one))),
    heirOf,
  );
  for (const one of after.processes) {
    const last = known.get(keyOf(one));
    add(one.owner, one.cpuSeconds - (last?.cpuSeconds ?? 0));
    const counted =
      last === undefined
        ? 0
        : (endedUnder.get(one.pid) ?? []).reduce((sum, ended) => sum + ended.cpuSeconds + ended.childrenSeconds, 0);
    add(one.owner, one.childrenSeconds - (last?.childrenSeconds ?? 0) - counted);
  }
  const groups = new Map(before.groups.map((group) => [group.name, group.cpuSeconds]));
  for (const { name, cpuSeconds } of after.groups) add('containers', cpuSeconds - (groups.get(name) ?? 0));
  return result;
};

/** Adds up what comes between its samples: the more of them, the less is lost of processes that end. */
export const createLedger = () => {
  let last: Sample | undefined;
  const totals: Record<string, number> = {};
  return {
    add: (sample: Sample): Readonly<Record<string, number>> => {
      for (const [name, seconds] of Object.entries(last === undefined ? {} : gains(last, sample)))
        totals[name] = (totals[name] ?? 0) + seconds;
      last = sample;
      return { ...totals };
    },
  };
};

export const residentOf = ({ processes, groups }: Sample): Readonly<Record<string, number>> => {
  const result: Record<string, number> = {};
  for (const { owner, residentBytes } of processes) result[owner] = (result[owner] ?? 0) + residentBytes;
  if (groups.length > 0) result['containers'] = groups.reduce((sum, { residentBytes }) => sum + residentBytes, 0);
  return result;
};

const read = (path: string): string | null => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
};
const names = (folder: string): string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

/** Bytes of processes, in which what several share is counted once. */
export const sharedOnce = ({ processes }: Sample): number =>
  processes.reduce(
    (sum, { pid }) => sum + 1024 * Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`) ?? '')?.[1] ?? 0),
    0,
  );

const allProcesses = (): ProcessStat[] =>
  names('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((entry) => {
      const text = read(`/proc/${entry}/stat`);
      return text === null ? [] : [parseStat(text)];
    });

const CGROUPS = '/sys/fs/cgroup';

/** cgroup v1 has a tree for each resource, v2 one for all. */
const trees = (): { readonly cpu: string; readonly memory: string } => {
  const cpu = ['cpuacct', 'cpu,cpuacct'].map((name) => `${CGROUPS}/${name}`).find(existsSync);
  return cpu === undefined ? { cpu: CGROUPS, memory: CGROUPS } : { cpu, memory: `${CGROUPS}/memory` };
};

const groupsOf = (homeHash: string, containers: readonly string[]): readonly Group[] => {
  const { cpu, memory } = trees();
  const own = [
    ...names(cpu).filter((name) => isGroupOf(homeHash, name)),
    ...containers.flatMap((id) => [`docker/${id}`, `system.slice/docker-${id}.scope`]),
  ];
  return own.flatMap((name) => {
    const [v1, v2] = [
      read(`${cpu}/${name}/cpuacct.usage`),
      /^usage_usec (\d+)$/m.exec(read(`${cpu}/${name}/cpu.stat`) ?? '')?.[1],
    ];
    if (v1 === null && v2 === undefined) return [];
    const bytes = read(`${memory}/${name}/memory.usage_in_bytes`) ?? read(`${memory}/${name}/memory.current`);
    return [{ name, cpuSeconds: v1 !== null ? Number(v1) / 1e9 : Number(v2) / 1e6, residentBytes: Number(bytes ?? 0) }];
  });
};

/**
 * What is there now. `containers`: ids of containers of this home that are outside the sandbox's groups, such as the
 * database's.
 */
export const sampleHome = (homeHash: string, listed: readonly Root[], containers: readonly string[] = []): Sample => ({
  processes: ownedBy(allProcesses(), [...markedProcesses(homeHash), ...listed]),
  groups: groupsOf(homeHash, containers),
});

/** One process and its descendants. */
export const sampleTree = (name: string, pid: number): Sample => ({
  processes: ownedBy(allProcesses(), [{ name, pid }]),
  groups: [],
});
