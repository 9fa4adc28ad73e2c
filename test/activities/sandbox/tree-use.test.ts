// The CPU time of a tree of processes, from /proc or a cgroup of either version, and the watch that ends one that used
// too much.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { startCpuWatch } from '../../../activities/sandbox/contract/cpu-watch.ts';
import { createSlots } from '../../../activities/sandbox/launchers/cgroup-slots.ts';
import { createProcessTree } from '../../../activities/sandbox/launchers/process-tree.ts';

const BURN = 'const burn = (ms) => { while (process.cpuUsage().user + process.cpuUsage().system < ms * 1000); };';
/** Burns in three generations, tells when it is done, and lives until its input is closed. */
const TREE = `${BURN}
const { spawnSync } = require('node:child_process');
const depth = Number(process.argv[1]);
if (depth > 0) spawnSync(process.execPath, ['-e', process.argv[2], String(depth - 1), process.argv[2]], { stdio: 'ignore' });
burn(300);
if (depth === 2) { console.log('done'); process.stdin.resume(); }`;

test.skipIf(!existsSync('/proc/self/stat'))(
  'children and grandchildren are counted, the dead too, and the count never falls',
  async () => {
    const child = spawn(process.execPath, ['-e', TREE, '2', TREE], { stdio: ['pipe', 'pipe', 'inherit'] });
    const cpuMs = createProcessTree(child.pid!);
    const counts = [cpuMs()];
    const done = new Promise((resolve) => child.stdout.once('data', resolve));
    const timer = setInterval(() => counts.push(cpuMs()), 20);
    await done;
    counts.push(cpuMs());
    clearInterval(timer);
    const ended = new Promise((resolve) => child.once('close', resolve));
    child.stdin.end();
    await ended;
    const last = counts.at(-1)!;
    // Times in /proc are whole hundredths of a second, and each process has two.
    expect(last).toBeGreaterThan(3 * 300 - 3 * 20);
    expect(counts).toEqual(counts.toSorted((a, b) => a! - b!));
    expect(cpuMs()).toBe(last);
  },
);

const counters = {
  '1': { file: 'cpuacct/g/slot0/cpuacct.usage', text: (ms: number) => `${ms * 1e6}\n` },
  '2': { file: 'g/slot0/cpu.stat', text: (ms: number) => `usage_usec ${ms * 1000}\nuser_usec 1\nsystem_usec 2\n` },
} as const;
test.each(['1', '2'] as const)('cgroup version %s: what was used since the mark, or unknown', (version) => {
  const root = mkdtempSync(join(tmpdir(), 'evolve-cgroup-'));
  try {
    const { file, text } = counters[version];
    const write = (ms: number): void => writeFileSync(join(root, file), text(ms));
    mkdirSync(dirname(join(root, file)), { recursive: true });
    write(100);
    const slot = createSlots({ driver: 'cgroupfs', version, group: 'g', root }).take();
    slot.markUse();
    write(350);
    expect(slot.use().cpuMs).toBe(250);
    writeFileSync(join(root, file), 'much\n');
    expect(slot.use().cpuMs).toBeNull();
    rmSync(join(root, file));
    expect(slot.use().cpuMs).toBeNull();
  } finally {
    rmSync(root, { recursive: true });
  }
});

const states = {
  '1': {
    frozen: ['freezer/g/slot0/c/freezer.state', 'FROZEN\n', 'THAWED\n'],
    oom: { 'memory/g/slot0/c/memory.oom_control': 'under_oom 0\noom_kill 1\n' },
    met: { 'memory/g/slot0/c/memory.failcnt': '4\n' },
    unmet: { 'memory/g/slot0/c/memory.failcnt': '0\n' },
  },
  '2': {
    frozen: ['g/slot0/c/cgroup.events', 'populated 1\nfrozen 1\n', 'populated 1\nfrozen 0\n'],
    oom: {},
    met: { 'g/slot0/memory.events': 'max 3\noom 2\noom_kill 1\n' },
    unmet: { 'g/slot0/memory.events': 'max 3\noom 0\noom_kill 1\n' },
  },
} as const;
test.each(['1', '2'] as const)(
  "cgroup version %s: a pause is seen, and whether the memory of the program or the machine's ran out",
  (version) => {
    const root = mkdtempSync(join(tmpdir(), 'evolve-cgroup-'));
    try {
      const put = (files: { readonly [file: string]: string }): void => {
        for (const [file, text] of Object.entries(files)) {
          mkdirSync(dirname(join(root, file)), { recursive: true });
          writeFileSync(join(root, file), text);
        }
      };
      const { frozen, oom, met, unmet } = states[version];
      const slot = createSlots({ driver: 'cgroupfs', version, group: 'g', root }).take();
      expect([slot.oomKilled('c'), slot.awake()]).toEqual([null, null]);
      put({ ...oom, ...unmet, [frozen[0]]: frozen[1] });
      expect([slot.oomKilled('c'), slot.awake()]).toEqual([false, 'frozen']);
      put({ ...met, [frozen[0]]: frozen[2] });
      expect([slot.oomKilled('c'), slot.awake()]).toEqual([true, null]);
    } finally {
      rmSync(root, { recursive: true });
    }
  },
);

test('a process that never was is unknown, not nothing', () => {
  expect(createProcessTree(2 ** 30)()).toBeNull();
});

test('the watch ends what passed its limit, once, and nothing that it cannot measure', async () => {
  vi.useFakeTimers();
  try {
    let used: number | null = null;
    const over = vi.fn<() => void>();
    startCpuWatch({ limitMs: 1_000, cpuMs: () => used, over });
    await vi.advanceTimersByTimeAsync(10_000);
    used = 1_000;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(over).not.toHaveBeenCalled();
    used = 1_001;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(over).toHaveBeenCalledTimes(1);
    const stop = startCpuWatch({ limitMs: 1_000, cpuMs: () => used, over });
    stop();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(over).toHaveBeenCalledTimes(1);
  } finally {
    vi.useRealTimers();
  }
});
