// Sweeps as the command line prepares and shows them, without any part running.
import { describe, expect, test } from 'vitest';
import type { SweepDocument } from '../../../activities/store/documents/documents.ts';
import { expansionLines } from '../../../cli/commands/sweeps/sweep.ts';
import { sweepLastWords } from '../../../cli/follow/follow-sweep.ts';
import { sweepBlock, sweepLine } from '../../../cli/terminal/sweep-display.ts';
import { sweepsAsTheyStand } from '../../../client/sweeps/sweep-facts.ts';
import { reportOf, type SweepReport } from '../../../client/read/sweep-report.ts';
import { withEnvironment } from '../../../client/sweeps/sweep-spec.ts';
import { expandSweep } from '../../../evolution/sweep/expand.ts';
import { checkSweep } from '../../../evolution/sweep/spec.ts';
import { runDocument } from '../../support/domain/run-document.ts';

const SPEC = { name: 'bins', base: { limits: { steps: 4 } }, grid: { 'population.bins': [5, 10] }, seeds: [1, 2] };

describe("the environment's model", () => {
  const env = { OPENAI_BASE_URL: 'http://a/v1/', EVOLVE_MODEL: 'm' };
  const modelOf = (base: object, given: NodeJS.ProcessEnv = env) =>
    withEnvironment(checkSweep({ name: 's', base }), given).base.model;

  test('goes into the base, so that a worker expands the same runs', () => {
    expect(modelOf({})).toEqual({ kind: 'openai', baseUrl: 'http://a/v1', name: 'm' });
    const spec = withEnvironment(checkSweep(SPEC), env);
    expect(expandSweep(checkSweep(JSON.parse(JSON.stringify(spec))), new Date()).runs.map(({ run }) => run)).toEqual(
      expandSweep(spec, new Date()).runs.map(({ run }) => run),
    );
  });
  test('is weaker than the file', () => {
    expect(modelOf({ model: { name: 'other', temperature: 0.5 } })).toEqual({
      kind: 'openai',
      baseUrl: 'http://a/v1',
      name: 'other',
      temperature: 0.5,
    });
    expect(modelOf({ model: { kind: 'offline' } })).toEqual({ kind: 'offline' });
    expect(modelOf({ model: { name: 'offline' } })).toEqual({ name: 'offline' });
    expect(modelOf({ model: { baseUrl: 'http://b/v1', name: 'x' } }, { EVOLVE_MODEL: 'offline' })).toEqual({
      baseUrl: 'http://b/v1',
      name: 'x',
    });
  });
  test('is the offline one where there is none, which a worker with another environment keeps', () => {
    expect(modelOf({}, {})).toEqual({ kind: 'offline' });
    expect(modelOf({ model: { name: 'x' } }, {})).toEqual({ name: 'x' });
  });
  test('never holds the key', () =>
    expect(JSON.stringify(modelOf({}, { ...env, OPENAI_API_KEY: 'secret' }))).not.toContain('secret'));
});

const expanded = expandSweep(checkSweep(SPEC), new Date());
const document: SweepDocument = {
  _id: 'bins',
  run: 'sweep:bins',
  spec: SPEC,
  groups: expanded.groups,
  runs: expanded.runs.map(({ run, group, seed, repeat }) => ({ run, group, seed, repeat })),
  status: 'running',
  stopReason: null,
  decisions: [],
  createdAt: new Date('2026-11-21T10:00:00Z'),
  endedAt: null,
};
const [first, second, third] = expanded.runs.map(({ run }) => run);
const best = (score: number) => ({ program: 'p', score, strictScore: null, step: 1 });
const report = reportOf(
  document,
  [
    runDocument({ run: first!, status: 'finished', stopReason: 'steps', best: best(1.5) }),
    runDocument({ run: second!, status: 'running', best: best(1.7) }),
    runDocument({ run: third!, status: 'needs attention', statusReason: 'generate: 401', best: best(1.9) }),
  ],
  'maximise',
);

describe('a report', () => {
  test('counts every run once, and the configurations best first', () => {
    expect(report.states).toEqual({ finished: 1, running: 1, 'needs attention': 1, queued: 1 });
    expect(report.groups.map(({ group, mean, runs }) => [group, mean, runs])).toEqual([
      [1, 1.9, 2],
      [0, 1.6, 2],
    ]);
    expect([report.programs, report.tokens]).toEqual([3 * 192, { in: 3 * 1_234_567, out: 3 * 45_678 }]);
  });
  test('tells configurations of the same settings apart by the prompt text of the task', () => {
    const twice = { ...document, groups: [expanded.groups[0]!, expanded.groups[0]!] };
    const { groups } = reportOf(
      twice,
      [
        runDocument({ run: first!, taskDigest: 'aaaaaaaa', best: best(2) }),
        runDocument({ run: third!, taskDigest: 'bbbbbbbb', best: best(1) }),
      ],
      'maximise',
    );
    expect(groups.map(({ params }) => params)).toEqual([
      { 'population.bins': 5, promptText: 'aaaaaa' },
      { 'population.bins': 5, promptText: 'bbbbbb' },
    ]);
  });
  test('is shown with what needs attention, in the rows there are', () => {
    const view = {
      report,
      live: {
        status: 'running',
        ...{ runs: 4, waiting: 1, alive: 2, done: 1, rung: 64, attention: null },
        ...{ paused: false, stopping: false, opening: false, refusal: null, refusals: [] },
      },
      waitingFor: null,
      temporalUrl: null,
    } as const;
    const text = sweepBlock(view, 200, 40).join('\n');
    for (const part of [
      'bins   running',
      '4: 1 queued, 1 running, 1 needs attention, 1 finished · to the rung of 64 programs',
      `${third}: generate: 401; \`npx evolve retry ${third}\``,
      ' 1.9          -   1.9       192  bins=10   1 queued, 1 needs attention',
    ])
      expect(text).toContain(part);
    expect(sweepBlock(view, 200, 0).at(-1)).toBe('and 1 more: `npx evolve sweep report bins`');
    expect(sweepLine(view)).toMatch(
      /^sweep bins {2}4 runs: .* {2}rung 64 {2}programs 576 {2}best mean 1\.9 \(population\.bins=10\) {2}.* needs attention: generate: 401$/,
    );
  });
  test('ends with the table', () => {
    const text = sweepLastWords({ ...report, status: 'stopped', stopReason: 'stopped by a person' }).join('\n');
    expect(text).toContain('Sweep bins stopped: stopped by a person; 4 runs');
    expect(text).toContain('mean');
  });
});

test('the expansion is told before anything starts', () => {
  expect(expansionLines({ expanded })).toEqual([
    'sweep bins: 4 runs of 2 configurations',
    '    0  population.bins=5  (2 runs)',
    '    1  population.bins=10  (2 runs)',
  ]);
});

describe('the state of sweeps', () => {
  const report = (sweep: string, status: 'running' | 'finished') =>
    ({ sweep, status, stopReason: null, endedAt: null }) as unknown as SweepReport;
  /** An engine in which these sweeps are open, with their words. */
  const engineOf = (words: { readonly [sweep: string]: string }) => {
    const describeOf = (id: string) => {
      const word = words[id.replace('sweep/', '')];
      const key = { name: 'EvoStatus' };
      return {
        status: { name: word === undefined ? 'COMPLETED' : 'RUNNING' },
        typedSearchAttributes: { getAll: () => [{ key, value: word }] },
      };
    };
    const client = {
      workflow: { getHandle: (id: string) => ({ describe: async () => describeOf(id) }), list: async function* () {} },
    };
    const connection = { withDeadline: async (_at: number, ask: () => unknown) => ask() };
    return { engineSoon: async () => ({ client, connection }) } as never;
  };
  const statuses = async (parts: never, ...reports: readonly SweepReport[]) =>
    (await sweepsAsTheyStand(parts, reports)).map(({ status }) => status);

  test('is the word of the open workflow, since a document knows no pause', async () => {
    const parts = engineOf({ held: 'paused', halting: 'stopping', again: 'opening' });
    expect(
      await statuses(parts, report('held', 'running'), report('halting', 'running'), report('done', 'finished')),
    ).toEqual(['paused', 'stopping', 'finished']);
    expect(await statuses(parts, report('again', 'finished'))).toEqual(['opening']);
  });
  test('is that of the document where the engine is away', async () => {
    const away = { engineSoon: () => Promise.reject(new Error('away')) } as never;
    expect(await statuses(away, report('held', 'running'))).toEqual(['running']);
  });
});
