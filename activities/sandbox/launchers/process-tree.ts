// The CPU time of a process and all its descendants, from /proc: for places without a cgroup of their own.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Awake } from '../contract/confined.ts';

/** Linux gives the times in /proc in units of 10 ms on every architecture. */
const TICK_MS = 10;

type Process = {
  readonly pid: number;
  readonly parent: number;
  /** Tells this process from a later one under the same number. */
  readonly startedAt: string;
  readonly ownMs: number;
  /** The CPU time of its dead children for which somebody waited, and of their dead children. */
  readonly reapedMs: number;
};

const FIRST_FIELD = 3;
const field = (fields: readonly string[], number: number): string => fields[number - FIRST_FIELD] ?? '';

/** proc(5): 4 is the parent, 14 and 15 own user and system time, 16 and 17 those of the reaped, 22 the start. */
const readProcess = (pid: number): Process | null => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in parentheses, is the program's own choice and may hold any characters.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return {
      pid,
      parent: Number(field(fields, 4)),
      startedAt: field(fields, 22),
      ownMs: (Number(field(fields, 14)) + Number(field(fields, 15))) * TICK_MS,
      reapedMs: (Number(field(fields, 16)) + Number(field(fields, 17))) * TICK_MS,
    };
  } catch {
    return null;
  }
};

const childrenOf = (pid: number): readonly number[] => {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
};

/** For kernels that list no children: by the parents of all processes. */
const childrenByParents = (): ((pid: number) => readonly number[]) => {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    const found = /^\d+$/.test(name) ? readProcess(Number(name)) : null;
    if (found) children.set(found.parent, [...(children.get(found.parent) ?? []), found.pid]);
  }
  return (pid) => children.get(pid) ?? [];
};

const CHILDREN_LISTED = existsSync(`/proc/${process.pid}/task/${process.pid}/children`);

/** A parent is read before its children, so that a child that dies meanwhile is not counted twice. */
const treeOf = (root: number): readonly Process[] => {
  if (readProcess(root) === null) return [];
  const children = CHILDREN_LISTED ? childrenOf : childrenByParents();
  const pids = [root];
  const tree: Process[] = [];
  for (const pid of pids) {
    const found = readProcess(pid);
    if (found === null) continue;
    tree.push(found);
    pids.push(...children(pid));
  }
  return tree;
};

/** The state of a thread as proc(5) names it: R runs, or would run if it had a core. Null where there is none. */
const threadState = (id: string | number): string | null => {
  try {
    const text = readFileSync(`/proc/${id}/stat`, 'utf8');
    return text.charAt(text.lastIndexOf(')') + 2);
  } catch {
    return null;
  }
};

/** By threads; null where none can be seen. */
export const awakeOf = (threads: readonly (string | number)[]): Awake => {
  const states = threads.map(threadState).filter((state) => state !== null);
  return states.length === 0 ? null : states.includes('R') || (states.includes('T') && 'stopped');
};

/** By the tree under `root`. */
export const isTreeAwake = (root: number): Awake => awakeOf(treeOf(root).flatMap(({ pid }) => threadsOf(pid)));

const threadsOf = (pid: number): readonly string[] => {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
};

const keyOf = ({ pid, startedAt }: Process): string => `${pid} ${startedAt}`;

/**
 * Milliseconds of CPU that the tree under `root` has used, the dead included; it never falls. A process that ended
 * between two calls is in its parent's account once somebody waited for it. One for which nobody waits is counted as it
 * was last seen, so what it used after that is missed. Null until the tree was seen once.
 */
export const createProcessTree = (root: number): (() => number | null) => {
  let seen = new Map<string, Process>();
  let lostMs = 0;
  let total: number | null = null;
  return () => {
    const tree = treeOf(root);
    const now = new Map(tree.map((one) => [keyOf(one), one]));
    // A list that was read while the tree changed may lack one that still lives.
    for (const [key, before] of seen) {
      const again = now.has(key) ? null : readProcess(before.pid);
      if (again !== null && keyOf(again) === key) now.set(key, again);
    }
    // After the end of the root nothing more can be learnt.
    if (now.size === 0 || (seen.size > 0 && !now.has(keyOf(seen.values().next().value!)))) return total;
    let [goneMs, reapedMs] = [0, 0];
    for (const [key, before] of seen) {
      const after = now.get(key);
      if (after === undefined) goneMs += before.ownMs + before.reapedMs;
      else reapedMs += after.reapedMs - before.reapedMs;
    }
    lostMs += Math.max(0, goneMs - reapedMs);
    seen = now;
    const livingMs = [...now.values()].reduce((sum, { ownMs, reapedMs: dead }) => sum + ownMs + dead, 0);
    total = Math.max(total ?? 0, livingMs + lostMs);
    return total;
  };
};

/** Processes of this machine that the kernel has killed for want of memory. */
export const oomKills = (): number => Number(/^oom_kill (\d+)$/m.exec(readFileSync('/proc/vmstat', 'utf8'))?.[1] ?? 0);
