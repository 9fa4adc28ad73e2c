// Runs side by side: checkpoints, groups of equal settings, spreads, table and CSV.
import { describe, expect, it } from 'vitest';
import type { RunSettings } from '../../../evolution/config/settings.ts';
import { axisRows, comparisonCsv, finalRows } from '../../../evolution/reports/compare-text.ts';
import {
  bestAt,
  checkpoints,
  type ComparedRun,
  compareRuns,
  groupsOf,
  type Point,
} from '../../../evolution/reports/compare.ts';
import { configFrom } from '../../support/domain/asked-run.ts';

const config = (settings: RunSettings = {}) => configFrom(settings);
/** A run that makes ten programs a step, its best after each. */
const runOf = (run: string, bests: readonly (number | null)[], settings: RunSettings = {}): ComparedRun => ({
  run,
  seed: settings.seed ?? 42,
  config: config(settings),
  promptText: 'aaaaaaaa',
  points: bests.map((best, step): Point => ({
    programs: step * 10,
    tokens: step * 1000,
    costUsd: 0,
    seconds: step * 1.5,
    best,
  })),
});
const theta1 = runOf('a', [1, 2, 3], { seed: 1 });
const theta2 = runOf('b', [1, 1, 5, 9], { seed: 2 });
const masked = runOf('c', [null, null, 4], { prompt: { scores: 'masked' } });

describe('best so far', () => {
  it('is that of the last step that had not gone beyond the checkpoint', () => {
    expect([0, 9, 10, 19.5, 20, 1e9].map((at) => bestAt(theta1, 'programs', at))).toEqual([1, 1, 2, 2, 3, 3]);
    expect(bestAt(masked, 'programs', 15)).toBeNull();
    expect(bestAt({ ...theta1, points: theta1.points.slice(1) }, 'programs', 5)).toBeNull();
  });
  it('checkpoints end where the shortest run does; an axis on which nothing is counted has none', () => {
    expect(checkpoints([theta1, theta2], 'programs', 4)).toEqual([5, 10, 15, 20]);
    expect(checkpoints([theta1, theta2], 'seconds', 2)).toEqual([1.5, 3]);
    expect(checkpoints([theta1, theta2], 'costUsd', 4)).toEqual([]);
    expect(checkpoints([theta1], 'programs', 1000)).toHaveLength(20);
  });
});

describe('groups', () => {
  it('hold the runs that differ in their seed only, whatever the order of keys', () => {
    const shuffled = {
      ...theta2,
      config: Object.fromEntries(Object.entries(theta2.config).toReversed()) as typeof theta2.config,
    };
    expect(groupsOf([theta1, masked, shuffled]).map((group) => group.map(({ run }) => run))).toEqual([
      ['a', 'b'],
      ['c'],
    ]);
  });
  it('keep apart what was begun with another prompt text of the task', () => {
    const told = { ...theta2, promptText: 'bbbbbbbb' };
    const { groups } = compareRuns([theta1, told], { direction: 'maximise', points: 1 });
    expect(groups.map(({ label, promptText, runs }) => [label, promptText, runs])).toEqual([
      ['theta promptText=aaaaaa', 'aaaaaaaa', ['a']],
      ['theta promptText=bbbbbb', 'bbbbbbbb', ['b']],
    ]);
  });
  it('give mean and sample standard deviation at common checkpoints, and say how many runs had a score', () => {
    const { groups, checkpoints: at } = compareRuns([theta1, masked, theta2], { direction: 'maximise', points: 2 });
    expect(at.programs).toEqual([10, 20]);
    expect(groups[0]!.at.programs).toEqual([
      { n: 2, mean: 1.5, sd: Math.SQRT1_2 },
      { n: 2, mean: 4, sd: Math.SQRT2 },
    ]);
    expect(groups[1]!.at.programs).toEqual([
      { n: 0, mean: null, sd: null },
      { n: 1, mean: 4, sd: null },
    ]);
    expect(groups[0]!.final).toMatchObject({ n: 2, mean: 6, best: 9, bestRun: 'b' });
    expect(groups[0]!.totals).toMatchObject({ programs: 25, tokens: 2500 });
    expect(groups.map(({ label }) => label)).toEqual(['theta prompt.scores=shown', 'theta prompt.scores=masked']);
  });
  it('know the direction: where less is better the lowest is the best', () => {
    expect(compareRuns([theta1, theta2], { direction: 'minimise', points: 2 }).groups[0]!.final).toMatchObject({
      best: 3,
      bestRun: 'a',
    });
  });
  it('of different methods are named by them', () => {
    const other = runOf('d', [1, 2], { method: 'static' });
    expect(compareRuns([theta1, other], { direction: 'maximise', points: 1 }).groups.map(({ label }) => label)).toEqual(
      ['theta', 'static'],
    );
  });
});

describe('the name of a group', () => {
  const of = (run: string, seed: number, more: object) => ({ ...runOf(run, [1, 2], more), seed });
  const names = (runs: readonly ReturnType<typeof of>[]) =>
    compareRuns(runs, { direction: 'maximise', points: 1 }).groups.map(({ name }) => name);
  const seeds = (run: string, more: object) => [1, 2].map((seed) => ({ ...of(`${run}${seed}`, seed, more) }));
  it('is the id of a run that is alone', () => {
    expect(names([theta1, masked])).toEqual(['a', 'c']);
  });
  it('is else the method, and the fewest settings that tell the groups apart', () => {
    const sized = (batch: number, responses: number, steps: number) =>
      seeds(`r${batch}${responses}-`, { batch, responses, limits: { steps } });
    expect(names(seeds('s', {}))).toEqual(['theta']);
    expect(names([...seeds('s', {}), ...seeds('t', { method: 'static' })])).toEqual(['theta', 'static']);
    // The steps differ too, and tell nothing more.
    expect(names([...sized(2, 2, 5), ...sized(2, 4, 6), ...sized(4, 2, 7), masked])).toEqual([
      'steps=5',
      'steps=6',
      'steps=7',
      'c',
    ]);
    expect(names([...sized(2, 2, 5), ...sized(2, 4, 5), ...sized(4, 2, 5), ...sized(4, 4, 5)])).toEqual([
      'batch=2 responses=2',
      'batch=2 responses=4',
      'batch=4 responses=2',
      'batch=4 responses=4',
    ]);
  });
  it('has hints in words', () => {
    const hinted = (text: string) => ({ prompt: { hints: [{ island: null, text }] } });
    expect(names([...seeds('s', hinted('try hexagons')), ...seeds('t', {})])).toEqual([
      'hints=“try hexagons”',
      'hints=none',
    ]);
  });
});

describe('what is printed', () => {
  const comparison = compareRuns([theta1, theta2, masked], { direction: 'maximise', points: 2 });
  it('the tables', () => {
    expect(axisRows(comparison, 'programs')).toEqual([
      ['programs', '10', '20'],
      ['theta prompt.scores=shown', '1.5 ± 0.71', '4 ± 1.4'],
      ['theta prompt.scores=masked', 'none', '4'],
    ]);
    expect(finalRows(comparison.groups)[1]).toEqual([
      'theta prompt.scores=shown',
      '2',
      '6 ± 4.2',
      '9',
      'b',
      '25',
      '2,500',
      '$0',
      '0:03',
    ]);
  });
  it('CSV: a heading, a record a checkpoint and group, CRLF', () => {
    const records = comparisonCsv(comparison).split('\r\n');
    expect(records[0]).toBe('axis,checkpoint,group,settings,runs,scored,mean,sd');
    expect(records[1]).toBe(`programs,10,0,theta prompt.scores=shown,2,2,1.5,${Math.SQRT1_2}`);
    expect(records[2]).toBe('programs,10,1,theta prompt.scores=masked,1,0,,');
    expect(records).toHaveLength(1 + 3 * 2 * 2 + 1);
  });
});
