// One cgroup parent for each slot, so that its CPU counter and peak memory stay exact after the container is gone,
// killed trees included. Works with cgroup v1 and v2, and gives null where this process cannot read them.
import { readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import type { Awake, ResourceUse } from '../contract/confined.ts';
import { awakeOf } from './process-tree.ts';

export type Slot = {
  readonly parent: string;
  markUse(): void;
  use(): ResourceUse;
  /**
   * A process of this container was killed because the container had used what it may; where the memory of the machine
   * ran out, that says nothing about the program. Null where it cannot be read, as in v1 after the container's end.
   */
  oomKilled(container: string): boolean | null;
  awake(): Awake;
  release(): void;
};

type Layout = {
  readonly cpu: (parent: string) => number | null;
  readonly peakFile: (parent: string) => string;
  readonly folders: (parent: string) => readonly string[];
  /** Folder of the slot, below which the container's is, and the file in there that lists its threads. */
  readonly threads: (parent: string) => readonly [folder: string, file: string];
  /** Resets the peak. In v2 only the descriptor that wrote sees the reset, so it is of no use here. */
  readonly resetPeak: (parent: string) => boolean;
  /** The processes that were killed, and how often the limit was met: in v1 of the container, in v2 of the slot. */
  readonly oom: (parent: string, container: string) => readonly (number | null)[];
  /** The state of a container that is paused, and the file that holds it. */
  readonly frozen: (parent: string, container: string) => readonly [file: string, state: string];
};

const read = (file: string): string | null => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
};

const field = (file: string, name: string): number | null =>
  number(new RegExp(`^${name} (\\d+)$`, 'm').exec(read(file) ?? '')?.[1], 1);

const number = (text: string | null | undefined, divisor: number): number | null =>
  text === null || text === undefined || !/^\d+\s*$/.test(text) ? null : Number(text) / divisor;

/** Threads of another machine, or outside what this process sees, have the number 0 or none at all. */
const awakeIn = (layout: Layout, parent: string): Awake => {
  const [folder, file] = layout.threads(parent);
  try {
    const groups = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    for (const { name } of groups) {
      const [place, state] = layout.frozen(parent, name);
      if (read(place)?.includes(state)) return 'frozen';
    }
    return awakeOf(groups.flatMap(({ name }) => (read(`${folder}/${name}/${file}`) ?? '').split('\n').filter(Boolean)));
  } catch {
    return null;
  }
};

const v1 = (root: string): Layout => ({
  cpu: (parent) =>
    number(read(`${root}/cpuacct${parent}/cpuacct.usage`) ?? read(`${root}/cpu,cpuacct${parent}/cpuacct.usage`), 1e6),
  peakFile: (parent) => `${root}/memory${parent}/memory.max_usage_in_bytes`,
  resetPeak: (parent) => {
    try {
      writeFileSync(`${root}/memory${parent}/memory.max_usage_in_bytes`, '0');
      return true;
    } catch {
      return false;
    }
  },
  oom: (parent, container) => [
    field(`${root}/memory${parent}/${container}/memory.oom_control`, 'oom_kill'),
    ['memory', 'memory.memsw']
      .map((kind) => number(read(`${root}/memory${parent}/${container}/${kind}.failcnt`), 1))
      .reduce((sum, met) => (met === null ? sum : met + (sum ?? 0)), null),
  ],
  frozen: (parent, container) => [`${root}/freezer${parent}/${container}/freezer.state`, 'FROZEN'],
  threads: (parent) => [`${root}/memory${parent}`, 'tasks'],
  folders: (parent) =>
    [
      'cpu',
      'cpuacct',
      'cpu,cpuacct',
      'cpuset',
      'memory',
      'devices',
      'freezer',
      'blkio',
      'pids',
      'systemd',
      'unified',
      'net_cls',
      'net_prio',
      'net_cls,net_prio',
      'perf_event',
      'hugetlb',
      'misc',
      'rdma',
    ].map((name) => `${root}/${name}${parent}`),
});

const v2 = (root: string): Layout => ({
  cpu: (parent) => number(/^usage_usec (\d+)$/m.exec(read(`${root}${parent}/cpu.stat`) ?? '')?.[1], 1e3),
  peakFile: (parent) => `${root}${parent}/memory.peak`,
  resetPeak: () => false,
  oom: (parent) => ['oom_kill', 'oom'].map((name) => field(`${root}${parent}/memory.events`, name)),
  frozen: (parent, container) => [`${root}${parent}/${container}/cgroup.events`, 'frozen 1'],
  threads: (parent) => [`${root}${parent}`, 'cgroup.threads'],
  folders: (parent) => [`${root}${parent}`],
});

/** The driver decides the form of a parent's name. systemd wants a slice, in whose name dashes mean nesting. */
const parentName = (driver: string, group: string, slot: number): { asked: string; path: string } =>
  driver === 'systemd'
    ? {
        asked: `${group.replaceAll('-', '')}-slot${slot}.slice`,
        path: `/${group.replaceAll('-', '')}.slice/${group.replaceAll('-', '')}-slot${slot}.slice`,
      }
    : { asked: `/${group}/slot${slot}`, path: `/${group}/slot${slot}` };

/** `group` is unique for each process, so that two processes never share a counter. */
export const createSlots = (options: {
  readonly driver: string;
  readonly version: string;
  readonly group: string;
  /** The folder of the kernel's cgroups. */
  readonly root?: string | undefined;
}): { take(): Slot; close(): void } => {
  const layout = (options.version === '2' ? v2 : v1)(options.root ?? '/sys/fs/cgroup');
  const free: number[] = [];
  const folders = new Set<string>();
  let made = 0;
  const take = (): Slot => {
    const index = free.shift() ?? made++;
    const { asked, path } = parentName(options.driver, options.group, index);
    for (const folder of layout.folders(path)) folders.add(folder);
    // The peak of the slot's last container is reset where the kernel allows it.
    let peakIsOurs = read(layout.peakFile(path)) === null || layout.resetPeak(path);
    let marks = 0;
    // A container's own counter begins at nothing.
    const counted = options.version === '2' ? layout.oom(path, '') : [];
    let before = layout.cpu(path);
    let released = false;
    return {
      parent: asked,
      markUse: () => {
        before = layout.cpu(path);
        // Where the peak cannot be reset, it is valid for the first use only.
        peakIsOurs = layout.resetPeak(path) || (peakIsOurs && marks === 0);
        marks += 1;
      },
      use: () => {
        const after = layout.cpu(path);
        return {
          cpuMs: after === null || before === null ? null : Math.max(0, Math.round(after - before)),
          peakBytes: peakIsOurs ? number(read(layout.peakFile(path)), 1) : null,
        };
      },
      awake: () => awakeIn(layout, path),
      oomKilled: (container) => {
        const now = layout.oom(path, container);
        return now.includes(null) ? null : now.every((count, index) => count! > (counted[index] ?? 0));
      },
      release: () => {
        if (!released) free.push(index);
        released = true;
      },
    };
  };
  const close = (): void => {
    const parents = new Set([...folders].map((folder) => folder.slice(0, folder.lastIndexOf('/'))));
    for (const folder of [...folders, ...parents])
      try {
        rmdirSync(folder);
      } catch {
        /* absent, or still busy: harmless */
      }
  };
  return { take, close };
};
