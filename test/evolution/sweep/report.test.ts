// What a sweep found, as numbers, a table and CSV.
import { expect, test } from 'vitest';
import { sweepCsv, sweepReport, sweepTable, type SweptGroup } from '../../../evolution/sweep/report.ts';

const run = (name: string, best: number | null, state = 'finished') => ({
  run: name,
  seed: 1,
  repeat: 1,
  state,
  best,
  programs: 10,
  tokensIn: 100,
  tokensOut: 20,
  costUsd: 0.5,
});
const GROUPS: readonly SweptGroup[] = [
  {
    group: 0,
    params: { batch: 4, 'model.name': 'a "b", c' },
    runs: [run('r1', 1), run('r2', 2), run('r3', 3, 'running')],
  },
  { group: 1, params: { batch: 8, 'model.name': 'd' }, runs: [run('r4', 5), run('r5', null, 'queued')] },
  { group: 2, params: { batch: 16 }, runs: [run('r6', null)] },
];

test('mean, sample deviation, best and sums of each configuration, best mean first', () => {
  expect(sweepReport(GROUPS, 'maximise')).toEqual([
    {
      group: 1,
      params: GROUPS[1]!.params,
      runs: 2,
      mean: 5,
      sd: null,
      best: 5,
      bestRun: 'r4',
      programs: 20,
      tokensIn: 200,
      tokensOut: 40,
      costUsd: 1,
      states: { finished: 1, queued: 1 },
    },
    {
      group: 0,
      params: GROUPS[0]!.params,
      runs: 3,
      mean: 2,
      sd: 1,
      best: 3,
      bestRun: 'r3',
      programs: 30,
      tokensIn: 300,
      tokensOut: 60,
      costUsd: 1.5,
      states: { finished: 2, running: 1 },
    },
    {
      group: 2,
      params: GROUPS[2]!.params,
      runs: 1,
      mean: null,
      sd: null,
      best: null,
      bestRun: null,
      programs: 10,
      tokensIn: 100,
      tokensOut: 20,
      costUsd: 0.5,
      states: { finished: 1 },
    },
  ]);
  expect(sweepReport(GROUPS, 'minimise').map(({ group, best, bestRun }) => [group, best, bestRun])).toEqual([
    [0, 1, 'r1'],
    [1, 5, 'r4'],
    [2, null, null],
  ]);
});

test('the table has one row a configuration under one heading', () => {
  const [heading, ...rows] = sweepTable(sweepReport(GROUPS, 'maximise'));
  expect(heading).toEqual([
    'batch',
    'model.name',
    'runs',
    'mean',
    'sd',
    'best',
    'best run',
    'programs',
    'tokens in',
    'tokens out',
    'cost',
    'states',
  ]);
  expect(rows[1]).toEqual([
    '4',
    'a "b", c',
    '3',
    '2',
    '1',
    '3',
    'r3',
    '30',
    '300',
    '60',
    '$1.50',
    '2 finished, 1 running',
  ]);
  expect(rows[2]).toEqual(['16', '-', '1', '-', '-', '-', '-', '10', '100', '20', '$0.50', '1 finished']);
});

test('CSV quotes as RFC 4180 says; what is not there is empty', () => {
  expect(sweepCsv(sweepReport(GROUPS, 'maximise')).split('\r\n')).toEqual([
    'group,batch,model.name,runs,mean,sd,best,best_run,programs,tokens_in,tokens_out,cost_usd,states',
    '1,8,d,2,5,,5,r4,20,200,40,1,"1 finished, 1 queued"',
    '0,4,"a ""b"", c",3,2,1,3,r3,30,300,60,1.5,"2 finished, 1 running"',
    '2,16,,1,,,,,10,100,20,0.5,1 finished',
    '',
  ]);
});

test('a sweep of one group has no columns of settings', () => {
  expect(sweepTable(sweepReport([{ group: 0, params: {}, runs: [run('r', 1)] }], 'maximise'))[1]![0]).toBe('1');
});

test('configurations of tasks with different directions each have their own best, in the order of the file', () => {
  const [first, ...others] = GROUPS.map(({ group }) => group);
  const mixed = sweepReport(GROUPS, (group) => (group === first ? 'minimise' : 'maximise'));
  expect(mixed.map(({ group }) => group)).toEqual([first, ...others].toSorted((a, b) => a! - b!));
  const alone = (direction: 'minimise' | 'maximise', group: number) =>
    sweepReport(GROUPS, direction).find((one) => one.group === group)!;
  for (const one of mixed) expect(one).toEqual(alone(one.group === first ? 'minimise' : 'maximise', one.group));
});
