// Experiment files that are wrong are refused with file, line, what was expected and what came; a scale keeps what an
// ablation is about; ours and the paper's numbers stand on one scale.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { besideTable, cellReport, type CellRun } from '../../../evolution/experiments/beside.ts';
import { estimateOf } from '../../../evolution/experiments/estimate.ts';
import { armsOf, type Choice, fullSize, planOf, shownCells } from '../../../evolution/experiments/plan.ts';
import { programsOf, scaledSize } from '../../../evolution/experiments/scale.ts';
import { type ExperimentFile, experimentFromFile } from '../../../evolution/experiments/spec.ts';
import { problemsOf as problems } from '../../support/domain/problems.ts';

const TEXT = `format: 1
paper: deltaevolve
id: table-9
title: A table
source: Table 9
seeds: [1, 2]
models:
  large: { model: { name: large-model } }
common: { method: delta, batch: 4, limits: { steps: 25 } }
cases:
  - { id: a, title: A, task: golomb-ruler-12, model: large }
  - { id: b, title: B, task: no-three-in-line-12, model: large, shown: { kind: ratio, of: 3 } }
ablated: [prompt.scores]
rows:
  - { name: with, values: { a: { best: 85 } } }
  - { name: without, settings: { prompt: { scores: masked } } }
  - { name: early, readAt: { row: with, steps: { a: 10 } } }
  - { name: learnt, needs: policy }
  - { name: quoted, reported: true, values: { b: { best: 24 } } }
`;
const read = (text = TEXT): ExperimentFile => experimentFromFile('x.yaml', text, () => read());
const problemsOf = (make: () => unknown): string => problems(make).join('\n');
const choice = (more: Partial<Choice> = {}): Choice => ({
  scale: 1,
  seeds: null,
  answers: { kind: 'published', baseUrl: 'http://127.0.0.1:1/v1' },
  over: {},
  trainer: null,
  policy: null,
  ...more,
});

describe('a wrong file', () => {
  it.each([
    ['format: 1', 'format: 2', /^x\.yaml:1:1: format: expected 1, the version .*, got 2\.$/],
    ['format: 1\n', '', /^x\.yaml:1:1: format: expected 1, .*, got /],
    ['title: A table', 'titel: A table', /x\.yaml:4:1: titel: unknown key\. Did you mean "title"\?/],
    [
      'model: large }\n  - { id: b',
      'model: huge }\n  - { id: b',
      /^x\.yaml:11:\d+: cases\.0\.model: expected one of the models of this file \(large\), got "huge"\.$/,
    ],
    ['id: b,', 'id: a,', /^x\.yaml:12:\d+: cases\.1\.id: expected each id once, got a again\./],
    ['seeds: [1, 2]', 'seeds: [1, 1]', /^x\.yaml:\d+:\d+: seeds\.1: expected each seed once, got 1 again\.$/],
    [
      '{ best: 85 }',
      '{ best: 85, seeds: { 3: 85 } }',
      /^x\.yaml:15:\d+: rows\.0\.values\.a\.seeds\.3: expected one of the seeds of this file \(1, 2\), got "3"\./,
    ],
    [
      '{ a: { best',
      '{ c: { best',
      /^x\.yaml:15:\d+: rows\.0\.values\.c: expected one of the cases of this file \(a, b\), got "c"\./,
    ],
    [
      'row: with',
      'row: learnt',
      /rows\.2\.readAt\.row: expected one of the rows that are run of this file \(with, without\), got "learnt"/,
    ],
    [
      'masked',
      'hidden',
      /^x\.yaml:16:\d+: rows\.1\.settings\.prompt\.scores: expected one of shown, masked, got "hidden"\./,
    ],
    ['best: 85', 'bets: 85', /rows\.0\.values\.a\.bets: unknown key/],
    [
      '  - { id: a, title: A, task: golomb-ruler-12, model: large }',
      '  - { id: a, title: A, task: golomb-ruler-12 }',
      /^x\.yaml:11:\d+: cases\.0: expected a model that answers .*, got none\./,
    ],
    [
      'paper: deltaevolve',
      'paper: alphaevolve',
      /^x\.yaml:2:1: paper: expected one of thetaevolve, deltaevolve, alpharesearch, codeevolve, got "alphaevolve"/,
    ],
  ])('%j as %j', (from, to, message) => {
    expect(TEXT).toContain(from);
    expect(problemsOf(() => read(TEXT.replace(from, to)))).toMatch(message);
  });

  it('whose settings cannot be is refused with the row and the case that have them', () => {
    const wrong = read(TEXT.replace('{ scores: masked }', '{ scores: masked, style: task-only }'));
    expect(problemsOf(() => planOf(wrong, choice()))).toMatch(
      /^x\.yaml:16:\d+: .*task-only.* This is row without, case a\.$/m,
    );
  });

  it('whose rows differ in more than it says, or in less, is refused', () => {
    const more = TEXT.replace('{ scores: masked }', '{ scores: masked, elites: 1 }');
    expect(problemsOf(() => planOf(read(more), choice()))).toBe(
      'x.yaml:13:1: ablated: expected rows that differ in prompt.scores alone, got rows that differ in prompt.elites too.',
    );
    const less = TEXT.replace('[prompt.scores]', '[prompt.scores, selection]');
    expect(problemsOf(() => planOf(read(less), choice()))).toMatch(
      /^x\.yaml:13:1: .* got selection, in which they are the same\.$/,
    );
  });

  it('a setting in which rows differ is not set for all of them', () => {
    expect(problemsOf(() => planOf(read(), choice({ over: { prompt: { scores: 'masked' } } })))).toBe(
      '--set prompt.scores: expected a setting that all rows share, got one in which they differ (ablated: prompt.scores).',
    );
  });
});

describe('a reading', () => {
  const READING = `format: 1
paper: deltaevolve
id: figure-9
title: A figure
source: Figure 9
runsOf: table-9
figure: { y: [score, costUsd] }
cases: [a]
rows: [with, early]
notes: [It prints curves only.]
`;

  it('makes the runs of its experiment, under its name, and shows a part of them', () => {
    const [reading, whole] = [planOf(read(READING), choice()), planOf(read(), choice())];
    expect({ ...reading, cells: null }).toEqual({ ...whole, cells: null });
    const { experiment } = read(READING);
    expect(shownCells(experiment, reading.cells).map(({ row, of }) => `${row.name} ${of.id}`)).toEqual([
      'with a',
      'early a',
    ]);
    expect(experiment.notes).toEqual(['It prints curves only.']);
    expect(experiment.rows[0]!.values).toEqual({ a: { best: 85 } });
    expect(read(`${READING}values: { with: { a: { costUsd: 2 } } }`).experiment.rows[0]!.values).toEqual({
      a: { costUsd: 2 },
    });
  });

  it.each([
    ['cases: [a]', 'cases: [c]', /^x\.yaml:8:9: cases\.0: expected one of a, b of table-9, got "c"\./],
    ['rows: [with', 'rows: [whit', /^x\.yaml:9:8: rows\.0: expected one of with, .* of table-9, got "whit"\.$/],
    [
      'figure: {',
      'figure: { kind: bars,',
      /^x\.yaml:7:11: figure\.kind: expected one of curve, points, distribution, got "bars"/,
    ],
    ['cases: [a]', 'ablated: []', /^x\.yaml:8:1: ablated: unknown key/],
  ])('with %s made %s is refused', (from, to, expected) => {
    expect(problemsOf(() => read(READING.replace(from, to)))).toMatch(expected);
  });
});

describe('arms', () => {
  it('are the rows that are run, each with its differences from the first', () => {
    const scores = { key: 'prompt.scores', first: 'shown', own: 'masked' };
    expect(armsOf(read().experiment)).toEqual([
      { name: 'with', differsFromFirst: {}, differences: [] },
      {
        name: 'without',
        differsFromFirst: { 'prompt.scores': ['shown', 'masked'] },
        differences: [{ ...scores, cases: null }],
      },
    ]);
    // Where columns differ in it, each way is named with its columns.
    const inOne = TEXT.replace('{ prompt: { scores: masked } }', '{}').replace(
      'name: without,',
      'name: without, cases: { b: { prompt: { scores: masked } } },',
    );
    expect(armsOf(read(inOne).experiment)[1]!.differences).toEqual([{ ...scores, cases: ['b'] }]);
  });
});

describe('a plan', () => {
  it('runs the rows that can be run, and reads others from them', () => {
    const plan = planOf(read(), choice());
    expect(plan.name).toBe('deltaevolve-table-9');
    expect(plan.groups).toHaveLength(4);
    const at = (row: string, of: string) => {
      const { group, atStep } = plan.cells.find((cell) => cell.row.name === row && cell.of.id === of)!;
      return { group, atStep };
    };
    expect(at('early', 'a')).toEqual({ group: at('with', 'a').group, atStep: 10 });
    for (const [row, of] of [
      ['early', 'b'],
      ['learnt', 'a'],
      ['quoted', 'b'],
    ] as const)
      expect(at(row, of)).toEqual({ group: null, atStep: null });
    expect(planOf(read(), choice({ scale: 0.4, seeds: 1 }))).toMatchObject({ seeds: [1] });
    expect(planOf(read(), choice({ scale: 0.4 })).cells.find(({ atStep }) => atStep !== null)!.atStep).toBe(4);
  });

  it('has a name of its own for each size and model, always the same', () => {
    const names = [
      choice(),
      choice({ scale: 0.5 }),
      choice({ answers: { kind: 'offline' } }),
      choice({ answers: { kind: 'one', name: 'm', baseUrl: 'http://a/v1' } }),
      choice({ over: { diff: { strict: true } } }),
    ].map((one) => planOf(read(), one).name);
    expect(new Set(names).size).toBe(names.length);
    expect(planOf(read(), choice({ scale: 0.5 })).name).toBe(names[1]);
    // The same model elsewhere is the same experiment.
    expect(planOf(read(), choice({ answers: { kind: 'one', name: 'm', baseUrl: 'http://b/v1' } })).name).toBe(names[3]);
  });

  it('the offline model answers in the place of any, in the size that was asked for', () => {
    const papers = 'common: { evaluation: { packages: science, acceptSavedOnTimeout: false },';
    const file = read(TEXT.replace('common: {', papers));
    for (const { model, models, batch, limits, evaluation } of planOf(file, choice({ answers: { kind: 'offline' } }))
      .configs) {
      expect([model.kind, model.name, models.length, batch, limits.steps]).toEqual(['offline', 'offline', 0, 4, 25]);
      // What a program saved within its short time counts, and no image of packages is made.
      expect(evaluation).toMatchObject({ cpuSeconds: 5, acceptSavedOnTimeout: true, packages: null });
    }
  });
});

describe('a scale', () => {
  it('law: the size fits its rules, is never larger, and keeps about the share of programs', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('theta', 'delta', 'research', 'code', 'naive', 'openevolve', 'greedy-refine'),
        fc.integer({ min: 1, max: 3_000 }),
        fc.double({ min: 0.001, max: 1, noNaN: true }),
        (method, steps, scale) => {
          const settings = { method, limits: { steps }, task: 'golomb-ruler-12', ideation: { gate: 'off' } };
          const full = fullSize(settings);
          const size = scaledSize(full, scale) as Record<string, object>;
          const small = fullSize({ ...settings, ...size, limits: { ...size['limits'] } });
          const [whole, made] = [programsOf(full)!, programsOf(small)!];
          expect(made).toBeLessThanOrEqual(whole);
          expect(small.population.islands).toBeLessThanOrEqual(full.population.islands);
          const wanted = Math.min(whole, Math.max(4, whole * scale));
          expect(Math.abs(made - wanted)).toBeLessThanOrEqual(small.batch * small.responses);
        },
      ),
    );
  });

  it('keeps an initialisation that the run never leaves', () => {
    const endless = fullSize({ method: 'code', population: { initialisation: 1000 }, task: 'golomb-ruler-12' });
    const size = scaledSize(endless, 0.01) as { population: { initialisation: number } };
    expect(size.population.initialisation).toBeGreaterThan(0.01 * programsOf(endless)!);
  });
});

describe('beside the paper', () => {
  const run = (seed: number, score: number | null): CellRun => ({
    run: `r${seed}`,
    seed,
    state: 'finished',
    score,
    programs: 100,
    tokens: 1000 * seed,
    costUsd: 0,
    hours: 1,
  });
  const { cells } = planOf(read(), choice());
  const cell = (row: string, of: string) => cells.find((one) => one.row.name === row && one.of.id === of)!;

  it('ours is a mean over seeds with its deviation, best and worst', () => {
    const report = cellReport(cell('with', 'a'), [run(1, 91), run(2, 85), run(3, null)], 'minimise');
    expect(report).toMatchObject({ row: 'with', case: 'a', paper: { best: 85 }, note: null });
    expect(report.ours).toMatchObject({
      bySeed: { 1: 91, 2: 85 },
      seeds: 3,
      mean: 88,
      best: 85,
      worst: 91,
      tokens: 2000,
    });
    expect(report.ours!.sd).toBeCloseTo(Math.sqrt(18), 12);
  });

  it('shows the number of each seed where the paper prints it', () => {
    const file = read(TEXT.replace('{ best: 85 }', '{ best: 85, seeds: { "1": 85, "2": 91 } }'));
    const [first] = planOf(file, choice()).cells;
    expect(besideTable(file.experiment, [cellReport(first!, [run(1, 86), run(2, 90)], 'minimise')])).toMatchObject([
      expect.arrayContaining(['paper by seed', 'ours by seed']),
      expect.arrayContaining(['1: 85, 2: 91', '1: 86, 2: 90']),
    ]);
  });

  it('a ratio turns the direction', () => {
    expect(cellReport(cell('with', 'b'), [run(1, 4), run(2, 6)], 'minimise').ours).toMatchObject({
      best: 0.75,
      worst: 0.5,
    });
  });

  it('says why a row has no number of ours, and shows no row that says nothing', () => {
    const none = (row: string, of: string) => cellReport(cell(row, of), [], 'maximise');
    expect(none('learnt', 'a').note).toContain('--policy');
    expect(none('quoted', 'b')).toMatchObject({ ours: null, note: 'quoted by the paper', paper: { best: 24 } });
    const rows = besideTable(read().experiment, [none('quoted', 'b'), none('learnt', 'a'), none('with', 'a')]);
    expect(rows).toEqual([
      ['case', 'row', 'paper best', 'note'],
      ['A', 'with', '85', '-'],
      ['B', 'quoted', '24', 'quoted by the paper'],
    ]);
  });
});

describe('an estimate', () => {
  it('counts runs, programs and requests, and knows no cost without a price', () => {
    const { configs } = planOf(read(), choice());
    const texts = () => ({ statement: 2000, initial: 1000 });
    expect(estimateOf(configs, 2, texts)).toMatchObject({ runs: 8, programs: 800, requests: 800, costUsd: null });
    const priced = planOf(read(), choice({ over: { model: { price: { in: 1, out: 2 } } } })).configs;
    const { tokens, costUsd } = estimateOf(priced, 2, texts);
    expect(costUsd).toBeCloseTo((tokens.in + 2 * tokens.out) / 1e6, 9);
    // Ideas and judgements are requests of their own.
    const research = fullSize({
      method: 'research',
      limits: { steps: 10 },
      model: { roles: ['exploit', 'idea', 'judge'] },
    });
    expect(estimateOf([research], 1, texts)).toMatchObject({ programs: 10, requests: 30 });
  });

  it('counts each model for what it is asked, and names those without a price', () => {
    const config = fullSize({
      method: 'research',
      limits: { steps: 10 },
      model: { name: 'o4-mini', roles: ['exploit', 'idea'], maxTokens: 4000 },
      models: [{ name: 'a-judge', roles: ['judge'], maxTokens: 400 }],
    });
    const { tokens, costUsd, pricedUsd, unpriced } = estimateOf([config], 1, () => ({ statement: 0, initial: 0 }));
    // Twenty answers of o4-mini and ten of the judge, each a quarter of the longest.
    expect(tokens.out).toBe(20 * 1000 + 10 * 100);
    expect(pricedUsd).toBeCloseTo((((tokens.in * 2) / 3) * 1.1 + 20 * 1000 * 4.4) / 1e6, 9);
    expect({ costUsd, unpriced }).toEqual({ costUsd: null, unpriced: ['a-judge'] });
  });
});
