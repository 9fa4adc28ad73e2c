// Under which conditions a bench measured, and whether its figures may be called good: on a machine that others used,
// they may not.
import { execFileSync } from 'node:child_process';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** Above this 1-minute load of others no figure is judged. */
export const MOST_LOAD = 1;
const LOOK_MS = 5_000;

export const loads = (): readonly number[] => loadavg().map((load) => Number(load.toFixed(2)));

const LOOP_ROUNDS = 20_000_000;
const LOOP_TIMES = 5;

/**
 * The CPU time of a fixed loop, the least of a few: machines of one name differ in speed, and so does one from day to
 * day. Figures of CPU in one report times the other report's loop over its own can be compared.
 */
export const cpuLoopMs = (rounds = LOOP_ROUNDS): number => {
  const once = (): number => {
    const before = process.cpuUsage().user;
    let state = 1;
    for (let round = 0; round < rounds; round += 1)
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) ^ (state >>> 7);
    // The result is used, so that no compiler leaves the loop out.
    return (process.cpuUsage().user - before + (state === 0 ? 1 : 0)) / 1000;
  };
  return Number(Math.min(...Array.from({ length: LOOP_TIMES }, once)).toFixed(1));
};

export const conditionsNow = () => ({
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  /** Of a fixed loop, by which figures of different machines can be compared. */
  cpuLoopMs: cpuLoopMs(),
  cores: availableParallelism(),
  memoryGb: Math.round(totalmem() / 2 ** 30),
  node: process.version,
  commit: execFileSync('git', ['rev-parse', '--short', 'HEAD']).toString().trim(),
  load: loads(),
});

type Times = { readonly idle: number; readonly all: number };

/** How many cores were at work between two looks. */
export const coresBusy = (before: Times, after: Times, cores: number): number => {
  const all = after.all - before.all;
  return all <= 0 ? 0 : Math.max(0, cores * (1 - (after.idle - before.idle) / all));
};

export const timesNow = (): Times => {
  const times = cpus().map((core) => core.times);
  const sum = (of: (one: (typeof times)[number]) => number): number => times.reduce((total, one) => total + of(one), 0);
  return {
    idle: sum(({ idle }) => idle),
    all: sum(({ user, nice, sys, idle, irq }) => user + nice + sys + idle + irq),
  };
};

/**
 * Load that is not ours, while nothing of ours runs: the 1-minute average. After a bench of ours that average still
 * holds our own part, so then the cores at work during some seconds count, where they are less.
 */
export const loadOfOthers = async (afterOurs: boolean): Promise<number> => {
  const average = loadavg()[0]!;
  if (!afterOurs || average <= MOST_LOAD) return average;
  const before = timesNow();
  await sleep(LOOK_MS);
  return Math.min(average, coresBusy(before, timesNow(), cpus().length));
};

export type Goal = {
  readonly what: string;
  readonly value: number | null;
  readonly atMost?: number;
  readonly atLeast?: number;
  readonly unit?: string;
};
export type Verdict = Goal & { readonly met: boolean | null; readonly text: string };
export type Judge = (goal: Goal) => Verdict;

/** Keeps every verdict, for the JSON. What may not happen at all may not happen on a busy machine either. */
export const createJudge = (load: number): { readonly judge: Judge; readonly verdicts: readonly Verdict[] } => {
  const verdicts: Verdict[] = [];
  const judge: Judge = (goal) => {
    const { value, atMost, atLeast, unit = '' } = goal;
    const wanted = `(goal: ${[...(atMost === undefined ? [] : [`at most ${atMost}${unit}`]), ...(atLeast === undefined ? [] : [`at least ${atLeast}${unit}`])].join(', ')})`;
    const why =
      load > MOST_LOAD && atMost !== 0
        ? `load was ${load.toFixed(1)}`
        : value === null || !Number.isFinite(value)
          ? 'not measured'
          : null;
    const met = why !== null ? null : value! <= (atMost ?? Infinity) && value! >= (atLeast ?? -Infinity);
    const verdict = {
      ...goal,
      met,
      text: `${met === null ? `not judged: ${why}` : met ? 'goal met' : 'goal MISSED'} ${wanted}`,
    };
    verdicts.push(verdict);
    return verdict;
  };
  return { judge, verdicts };
};
