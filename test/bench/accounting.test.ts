// The bench counts what is ours, never below 0, and calls nothing good that was measured beside others. Lines of
// /proc as recorded.
import { describe, expect, it } from 'vitest';
import { coresBusy, createJudge } from './conditions.ts';
import { createLedger, gains, ownedBy, parseStat, residentOf, type Group, type Sample } from './processes.ts';

const REST = '20 0 1 0';
/** A recorded line, its long tail cut. */
const line = (pid: number, parent: number, own: string, waited: string, started: number, pages: number): string =>
  `${pid} (python3) S ${parent} 19720 4800 0 -1 4194304 2059 0 0 0 ${own} ${waited} ${REST} ${started} 17219584 ${pages} 18446744073709551615 1 1 0`;
const ROOT = { name: 'worker', pid: 19779 };
const sample = (lines: readonly string[], groups: readonly Group[] = []): Sample => ({
  processes: ownedBy(lines.map(parseStat), [ROOT]),
  groups,
});

// A program used 0.43 s, its child 0.53 s, the child's child 0.62 s. Then the grandchild and, after 0.33 s more, the
// child ended and were waited for.
const BEFORE = [
  line(19779, 19724, '18 25', '0 0', 78211, 3488),
  line(19795, 19779, '23 30', '0 0', 78294, 3433),
  line(19797, 19795, '26 36', '0 0', 78309, 3352),
];
const AFTER = [line(19779, 19724, '27 35', '61 87', 78211, 3488)];
// The same, but the child died without waiting: 0.54 s are all that its parent saw of 1.15 s.
const UNWAITED = [line(19779, 19724, '27 35', '23 31', 78211, 3488)];

describe('CPU between two samples', () => {
  it('counts children that ended and were waited for once, with their last moments', () => {
    expect(gains(sample(BEFORE), sample(AFTER))['worker']).toBeCloseTo(0.19 + 0.33, 9);
  });

  it('is never below 0 where nobody waited for a process that ended', () => {
    expect(gains(sample(BEFORE), sample(UNWAITED))['worker']).toBeCloseTo(0.19, 9);
    expect(gains(sample(BEFORE), sample([]))).toEqual({});
  });

  it('counts a process that came in between from its birth, and a pid that was used again as another process', () => {
    expect(gains(sample(AFTER), sample([...AFTER, line(20001, 19779, '7 3', '5 0', 79000, 10)]))['worker']).toBeCloseTo(
      0.15,
      9,
    );
    const [root, , grandchild] = BEFORE;
    expect(
      gains(sample(BEFORE), sample([root!, line(19795, 19779, '1 1', '0 0', 99999, 10), grandchild!]))['worker'],
    ).toBeCloseTo(0.02, 9);
  });

  it('leaves out what is not ours, whatever its name and however it ends', () => {
    const others = [
      '4623 (dockerd) S 1 4623 4623 0 -1 1077936384 99 0 0 0 5000 4000 90 10 20 0 9 0 1200 2000000 24000 1 1 1 0',
      '9685 (containerd-shim) S 1 9685 4623 0 -1 1077936384 99 0 0 0 700 200 0 0 20 0 9 0 5000 2000000 3000 1 1 1 0',
    ];
    expect(gains(sample([...BEFORE, ...others]), sample(AFTER))).toEqual(gains(sample(BEFORE), sample(AFTER)));
    expect(sample([...BEFORE, ...others]).processes.map(({ pid }) => pid)).toEqual([19779, 19795, 19797]);
  });

  it('leaves out the Docker daemon that this home started for all, with what descends from it', () => {
    const daemon = [line(4623, 19724, '900 100', '40 2', 71000, 100), line(4700, 4623, '90 10', '0 0', 71001, 100)];
    const processes = ownedBy([...BEFORE, ...daemon].map(parseStat), [
      { name: 'dockerd', pid: 4623 },
      { name: 'dockerd', pid: 4700 },
      ROOT,
    ]);
    expect(new Set(processes.map(({ owner }) => owner))).toEqual(new Set(['worker']));
  });

  it('counts a process under its nearest root', () => {
    const roots = [{ name: 'supervisor', pid: 19724 }, ROOT];
    const supervisor = line(19724, 1, '10 0', '0 0', 70000, 100);
    const [before, after] = [
      [supervisor, ...BEFORE],
      [line(19724, 1, '20 0', '0 0', 70000, 100), ...AFTER],
    ].map((lines): Sample => ({ processes: ownedBy(lines.map(parseStat), roots), groups: [] }));
    const gained = gains(before!, after!);
    expect(gained['supervisor']).toBeCloseTo(0.1, 9);
    expect(gained['worker']).toBeCloseTo(0.52, 9);
  });

  it('counts the cgroups of containers, also new ones; one that is gone takes nothing back', () => {
    const group = (name: string, cpuSeconds: number): Group => ({ name, cpuSeconds, residentBytes: 1 });
    expect(gains(sample([], [group('a', 5), group('b', 7)]), sample([], [group('a', 6), group('c', 2)]))).toEqual({
      containers: 3,
    });
  });

  it('adds up over many samples and starts at nothing', () => {
    const ledger = createLedger();
    expect(ledger.add(sample(BEFORE))).toEqual({});
    ledger.add(sample(UNWAITED));
    expect(ledger.add(sample(UNWAITED))['worker']).toBeCloseTo(0.19, 9);
  });
});

it('reads names with spaces and parentheses, and memory in pages', () => {
  expect(parseStat(AFTER[0]!.replace('python3', 'a (b) S 1 2'))).toEqual(parseStat(AFTER[0]!));
  expect(residentOf(sample(BEFORE))).toEqual({ worker: (3488 + 3433 + 3352) * 4096 });
});

describe('verdicts', () => {
  const goal = { what: 'x', value: 5, atMost: 10, unit: ' ms' };

  it('are given at a load of up to 1', () => {
    const { judge, verdicts } = createJudge(0.9);
    expect(judge(goal)).toMatchObject({ met: true, text: 'goal met (goal: at most 10 ms)' });
    expect(judge({ ...goal, value: 11 })).toMatchObject({ met: false, text: 'goal MISSED (goal: at most 10 ms)' });
    expect(judge({ what: 'y', value: 0.85, atLeast: 0.9 }).met).toBe(false);
    expect(judge({ what: 'y', value: null, atLeast: 0.9 })).toMatchObject({
      met: null,
      text: 'not judged: not measured (goal: at least 0.9)',
    });
    expect(verdicts.map(({ met }) => met)).toEqual([true, false, false, null]);
  });

  it('are withheld above it, good and bad ones', () => {
    const { judge } = createJudge(3.2);
    expect(judge(goal)).toMatchObject({ met: null, text: 'not judged: load was 3.2 (goal: at most 10 ms)' });
    expect(judge({ what: 'programs lost', value: 1, atMost: 0 }).met).toBe(false);
    expect(judge({ what: 'programs lost', value: 0, atMost: 0 }).met).toBe(true);
    expect(judge({ ...goal, value: 11 }).met).toBeNull();
  });

  it('take the cores at work from the clocks of the machine', () => {
    expect(coresBusy({ idle: 100, all: 200 }, { idle: 150, all: 300 }, 2)).toBe(1);
    expect(coresBusy({ idle: 100, all: 200 }, { idle: 100, all: 200 }, 2)).toBe(0);
  });
});
