// Lines that commands print, and what they make of their arguments.
import { expect, test } from 'vitest';
import { modelFrom } from '../../../cli/commands/steer/add-model.ts';
import { rebuildLines } from '../../../cli/commands/steer/rebuild.ts';
import { patchFrom } from '../../../cli/commands/steer/set.ts';
import { stepTable } from '../../../cli/commands/programs/steps.ts';
import { usageLines } from '../../../cli/commands/run/usage.ts';
import { bodyOf } from '../../../cli/flags/fields.ts';
import { assignments } from '../../../cli/flags/settings-flags.ts';
import { progressBlock } from '../../../cli/terminal/progress.ts';
import { runTable } from '../../../cli/terminal/run-table.ts';
import { forkedConfig } from '../../../activities/run/fork-config.ts';
import { runReport } from '../../../client/read/report.ts';
import { alreadyReached } from '../../../activities/run/reached.ts';
import { runDocument, watchState } from '../../support/domain/run-document.ts';

const NOW = new Date('2026-11-21T10:01:30Z');
const stateOf = (run: ReturnType<typeof runDocument>) => watchState({ run });
const reportOf = (changes: Parameters<typeof runDocument>[0]) => runReport(runDocument(changes), NOW, null);

test('settings as assignments or as one object are the same patch', () => {
  expect(
    patchFrom(
      ['diff.maxCodeChars=20000', 'population.admitFailures=true', 'prompt.hints=[{island: 1, text: a=b}]'],
      undefined,
    ),
  ).toEqual({
    diff: { maxCodeChars: 20_000 },
    population: { admitFailures: true },
    prompt: { hints: [{ island: 1, text: 'a=b' }] },
  });
  expect(patchFrom([], '{"diff": {"maxCodeChars": 20000}}')).toEqual({ diff: { maxCodeChars: 20_000 } });
});

test('what was sent without an answer is said where tokens are', () => {
  const sum = { requests: 2, tokens: { in: 1_000, out: 34 }, costUsd: 0.25 };
  const words = 'without an answer: 2 requests, about 1,034 tokens (estimated), $0.25';
  const block = progressBlock(stateOf(runDocument({ unanswered: sum })), 200);
  expect(block.some((text) => text.trim() === words)).toBe(true);
  expect(progressBlock(stateOf(runDocument({ unanswered: { ...sum, requests: 0 } })), 200).join()).not.toContain(
    'without an answer',
  );
  const nothing = { answers: 0, tokens: { in: 0, out: 0 }, costUsd: 0 };
  const report = {
    ...{ run: 'demo', total: nothing, models: [], roles: [], byRole: {}, steps: [], inherited: null },
    ...{ rewound: { programs: 0, tokens: 0, costUsd: 0 }, reused: { programs: 8, tokens: 700, costUsd: 0 } },
    cachedIn: null,
    listed: [{ model: 'm', in: 0.25, out: 2, from: 'models.dev 2026-07-02: openai/m' }],
    unpriced: [],
    estimated: { answers: 3, tokens: 4_200 },
    unanswered: {
      ...{ ...sum, estimated: 1, waiting: 3 },
      models: [{ model: 'm', ...sum }],
      roles: [{ role: 'idea' as const, ...sum }],
      steps: [{ step: 4, ...sum }],
    },
  };
  const about = '2 requests, about 1,034 tokens (estimated), $0.25';
  expect(usageLines({ ...report, unanswered: { ...report.unanswered, waiting: 1 } }, true)).toContain(
    'on their way: 1 request',
  );
  expect(usageLines(report, true)).toEqual(
    expect.arrayContaining([
      'estimated: about 4,200 tokens of 3 answers, whose endpoint named none',
      words,
      `  m: ${about}`,
      `  idea: ${about}`,
      `  step 4: ${about}`,
      'on their way: 3 requests',
      'price of m: 0.25 in, 2 out a million tokens (models.dev 2026-07-02: openai/m)',
      'of the total, used again after a rewind and paid once: 700 tokens, $0',
    ]),
  );
  expect(usageLines(report, false).join()).not.toContain('step 4');
  expect(usageLines(report, false).find((text) => text.startsWith('total'))).toMatch(/\$0$/);
  const unpriced = usageLines({ ...report, unpriced: ['m'] }, false);
  expect(unpriced.find((text) => text.startsWith('total'))).toMatch(/unknown$/);
});

test('tokens that nobody counted are said with the limits that are held against them', () => {
  const document = runDocument();
  const totals = { ...document.totals, estimated: { answers: 2, tokens: 500 } };
  const text = (limits: object) =>
    progressBlock(
      stateOf(
        runDocument({ totals, config: { ...document.config, limits: { ...document.config.limits, ...limits } } }),
      ),
      300,
    ).join('\n');
  expect(text({})).toMatch(/estimated: about 500 tokens of 2 answers, whose endpoint named none$/m);
  expect(text({ tokens: 1_000, costUsd: 1 })).toContain(
    '; limits.tokens and limits.costUsd are held against the estimate',
  );
  expect(runReport(runDocument({ totals }), NOW, null).estimated).toEqual({ answers: 2, tokens: 500 });
  expect(progressBlock(stateOf(document), 300).join()).not.toContain('estimated');
});

test('invented scores are marked where they are shown, and reach no target', () => {
  const { config } = runDocument();
  const noop = runDocument({
    config: { ...config, evaluation: { ...config.evaluation, sandbox: 'noop' } },
  });
  expect(progressBlock(stateOf(noop), 300).join()).toContain(
    'invented: with evaluation.sandbox noop no program was run',
  );
  expect(runTable([runReport(noop, NOW, null)]).join()).toContain('(invented)');
  const limits = { ...config.limits, steps: null, targetScore: 1 };
  expect(alreadyReached(noop, limits, 'maximise', NOW)).toBeNull();
  expect(alreadyReached(runDocument(), limits, 'maximise', NOW)).toBe('targetScore');
});

test('a model from flags', () => {
  expect(
    modelFrom('m', { weight: '0.5', baseUrl: 'http://b/v1', set: ['temperature=0.2', 'price={in: 1, out: 2}'] }),
  ).toEqual({ name: 'm', weight: 0.5, baseUrl: 'http://b/v1', temperature: 0.2, price: { in: 1, out: 2 } });
  expect(modelFrom('m', {})).toEqual({ name: 'm' });
});

test('limits from flags; none removes one', () => {
  expect(bodyOf('extend', { steps: '20', tokens: 'none', noImprovementPrograms: '500' })).toEqual({
    steps: 20,
    tokens: null,
    noImprovementPrograms: 500,
  });
  expect(bodyOf('extend', { costUsd: '1.5', add: true })).toEqual({ costUsd: 1.5, add: true });
});

test('a limit that is reached already is named, what was rewound included', () => {
  const { config } = runDocument();
  const none = { ...config.limits, steps: null };
  const setAside = [{ step: 9, epoch: 0, programs: 8, tokens: { in: 500_000, out: 0 }, costUsd: 0 }];
  expect(alreadyReached(runDocument(), { ...none, steps: 3 }, 'maximise', NOW)).toBe('steps');
  expect(alreadyReached(runDocument(), { ...none, tokens: 1_500_000 }, 'maximise', NOW)).toBeNull();
  expect(alreadyReached(runDocument({ setAside }), { ...none, tokens: 1_500_000 }, 'maximise', NOW)).toBe('tokens');
  expect(alreadyReached(runDocument(), { ...none, noImprovementPrograms: 40 }, 'maximise', NOW)).toBe(
    'noImprovementPrograms',
  );
  expect(alreadyReached(runDocument(), { ...none, targetScore: 1.8 }, 'maximise', NOW)).toBe('targetScore');
  expect(alreadyReached(runDocument(), { ...none, targetScore: 1.8 }, null, NOW)).toBeNull();
  const tolerant = { ...config, evaluation: { ...config.evaluation, scoring: 'tolerant' as const } };
  expect(alreadyReached(runDocument(), { ...none, targetScore: 1.841297 }, 'maximise', NOW)).toBeNull();
  expect(alreadyReached(runDocument({ config: tolerant }), { ...none, targetScore: 1.841297 }, 'maximise', NOW)).toBe(
    'targetScore',
  );
  expect(alreadyReached(runDocument({ committedStep: -1 }), { ...none, targetScore: 1.8 }, 'maximise', NOW)).toBeNull();
});

test('a fork may change what comes, not what its population was made with', () => {
  const parent = runDocument();
  const changed = (...entries: string[]) => forkedConfig(parent, 3, [assignments(entries, '--set ')]);
  expect(forkedConfig(parent, 3, [])).toEqual(parent.config);
  expect(changed('seed=7', 'batch=4')).toEqual({ ...parent.config, seed: 7, batch: 4 });
  expect(() => changed('population.islands=2')).toThrow(
    /population\.islands: a fork goes on with the population of run demo/,
  );
  expect(() => changed('batch=none')).toThrow(/--set batch: batch: expected a whole number/);
  expect(() => changed('limits.steps=3')).toThrow(/begins after step 3 and would end at once with 3 steps/);
});

test('the list gives the reason under a run that needs attention, and the origin of runs that have one', () => {
  const plain = runTable([reportOf({})]);
  expect(plain).toEqual([
    'run   state           best  steps  programs  task                      method  created (UTC)',
    'demo  running  1.841296046      3       192  circle-packing-square-26  theta   2026-11-21 10:00',
  ]);
  const [, ...rows] = runTable([
    reportOf({ status: 'needs attention', statusReason: 'generate: 401', sweep: 'bins' }),
    reportOf({}),
    reportOf({ origin: { run: 'parent', step: 2 } }),
  ]);
  expect(rows[0]).toContain('  sweep bins  ');
  expect(rows[1]).toBe('    The model cannot be asked: 401: `npx evolve doctor demo` says more');
  expect(rows[2]).toContain('  -     ');
  expect(rows[3]).toContain('  fork of parent  ');
});

test('the status names sweep and fork, every model, and what was paid for in vain', () => {
  const { config } = runDocument();
  const llm = { ...config.model, kind: 'openai', name: 'second', baseUrl: 'http://b/v1', price: null } as const;
  const run = runDocument({
    sweep: 'bins',
    origin: { run: 'parent', step: 2 },
    config: { ...config, models: [llm] },
    setAside: [{ step: 9, epoch: 0, programs: 8, tokens: { in: 500, out: 0 }, costUsd: 0.25 }],
  });
  const text = progressBlock(stateOf(run), 200).join('\n');
  for (const part of [
    'sweep bins · fork of parent after step 2',
    ' + second at http://b/v1',
    'cost unknown',
    'in rewound steps 500 tokens, $0.25',
  ])
    expect(text).toContain(part);
});

test('steps are lines; what was rewound is marked, and what a fork inherited', () => {
  const step = {
    step: 2,
    generation: 1,
    epoch: 0,
    settings: 3,
    programs: 128,
    valid: 60,
    best: null,
    at: new Date('2026-11-21T10:00:00Z'),
    superseded: false,
    inheritedFrom: null,
  };
  expect(
    stepTable([
      { ...step, superseded: true },
      { ...step, generation: 2 },
      { ...step, inheritedFrom: 'parent' },
    ]),
  ).toEqual([
    'step  programs  valid  best  settings  generation  epoch  time (UTC)           note',
    '   2       128     60  none         3           1      0  2026-11-21 10:00:00  superseded',
    '   2       128     60  none         3           2      0  2026-11-21 10:00:00',
    '   2       128     60  none         3           1      0  2026-11-21 10:00:00  of parent',
  ]);
});

test('a rebuild is told in one line, or difference by difference', () => {
  const report = { run: 'demo', steps: 3, programs: 192, differences: [], differenceCount: 0, ms: 1234 };
  expect(rebuildLines(report)).toEqual(['demo: no difference; 192 programs of 3 steps folded in 1.2 s']);
  expect(
    rebuildLines({
      ...report,
      differences: [{ step: 2, what: 'member p', expected: 'island 1', found: 'island 0' }],
      differenceCount: 3,
    }),
  ).toEqual([
    'demo: 3 differences; 192 programs of 3 steps folded in 1.2 s',
    '  step 2  member p: expected island 1, found island 0',
    '  and 2 more',
  ]);
});
