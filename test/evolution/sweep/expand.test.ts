// From a sweep to its runs: how many, in which order, under which ids, and what is refused.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expandSweep } from '../../../evolution/sweep/expand.ts';
import { checkSweep, sweepFromFile } from '../../../evolution/sweep/spec.ts';
import { configFrom } from '../../support/domain/asked-run.ts';
import { problemsOf } from '../../support/domain/problems.ts';

const START = new Date('2026-11-21T15:30:00Z');
const expand = (sweep: object) => expandSweep(checkSweep({ name: 't', ...sweep }), START);
describe('a grid', () => {
  const { groups, runs } = expand({
    base: { limits: { steps: 2 } },
    grid: { batch: [2, 4], 'population.islands': [1, 3] },
    seeds: [7, 8],
    repeat: 2,
  });

  it('gives every combination, seeds innermost, with the settings each stands for', () => {
    expect(groups).toEqual([
      { batch: 2, 'population.islands': 1 },
      { batch: 2, 'population.islands': 3 },
      { batch: 4, 'population.islands': 1 },
      { batch: 4, 'population.islands': 3 },
    ]);
    expect(runs.slice(0, 5).map(({ group, seed, repeat }) => [group, repeat, seed])).toEqual([
      [0, 1, 7],
      [0, 1, 8],
      [0, 2, 7],
      [0, 2, 8],
      [1, 1, 7],
    ]);
    expect(runs).toHaveLength(16);
    for (const { group, seed, config } of runs)
      expect(config).toMatchObject({
        batch: groups[group]!['batch'],
        population: { islands: groups[group]!['population.islands'] },
        seed,
        limits: { steps: 2 },
      });
    expect(runs[0]!.config).toEqual(
      configFrom({ batch: 2, seed: 7, population: { islands: 1 }, limits: { steps: 2 } }),
    );
  });

  it('ids say sweep, settings, seed and repetition', () => {
    expect(runs[0]!.run).toMatch(/^t-[0-9a-f]{8}-s7$/);
    expect(runs[2]!.run).toBe(`${runs[0]!.run}-r2`);
  });
});

describe('ids', () => {
  it('law: as many runs as combinations * seeds * repetitions, ids distinct, valid, and the same whatever the order of keys and of runs', () => {
    const values = (...all: number[]) => fc.subarray(all, { minLength: 1 });
    const grid = fc.record(
      {
        batch: values(1, 2, 4),
        responses: values(1, 3),
        'population.islands': values(1, 2, 4),
        'selection.exploration': values(0, 0.1),
      },
      { requiredKeys: ['batch'] },
    );
    fc.assert(
      fc.property(
        grid,
        fc.uniqueArray(fc.nat(1_000_000), { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 1, max: 2 }),
        (axes, seeds, repeat) => {
          const { groups, runs } = expand({ grid: axes, seeds, repeat, base: { limits: { steps: 3 }, seed: 5 } });
          const product = Object.values(axes).reduce((size, list) => size * list.length, 1);
          expect([groups.length, runs.length]).toEqual([product, product * seeds.length * repeat]);
          const ids = new Set(runs.map(({ run }) => run));
          expect(ids.size).toBe(runs.length);
          for (const id of ids) expect(id).toMatch(/^[a-z0-9-]{1,60}$/);
          const turned = Object.fromEntries(
            Object.entries(axes)
              .reverse()
              .map(([key, list]) => [key, list.toReversed()]),
          );
          expect(
            new Set(
              expand({
                seeds: seeds.toReversed(),
                grid: turned,
                base: { seed: 5, limits: { steps: 3 } },
                repeat,
              }).runs.map(({ run }) => run),
            ),
          ).toEqual(ids);
        },
      ),
      { numRuns: 15 },
    );
  });

  it('do not depend on whether a setting was swept, given in the base or a default', () => {
    const id = (sweep: object) => expand({ seeds: [1], ...sweep }).runs[0]!.run;
    expect(
      new Set([
        id({}),
        id({ base: { batch: 8 } }),
        id({ grid: { batch: [8] } }),
        id({ list: [{ batch: 8 }] }),
        id({ base: { batch: 3 }, list: [{ batch: 8 }] }),
      ]).size,
    ).toBe(1);
    expect(id({ base: { batch: 7 } })).not.toBe(id({}));
  });

  it('stay what they are from version to version, however many settings are added: a sweep under way finds its runs', () => {
    const { runs } = expand({
      name: 'pinned',
      seeds: [1],
      base: { batch: 7, limits: { programs: 70 } },
      grid: { 'population.bins': [5, 10], 'selection.exploration': [0.1] },
    });
    expect(runs.map(({ run }) => run)).toEqual(['pinned-3b244df0-s1', 'pinned-070d9047-s1']);
  });
});

describe('random search', () => {
  const space = {
    'model.temperature': { min: 0.001, max: 2, log: true },
    batch: { min: 1, max: 8, integer: true },
    responses: { min: 1, max: 64, integer: true, log: true },
    'population.grid': ['island', 'global'],
  };
  const random = (extra: object = {}) => expand({ random: { samples: 50, space, ...extra } });

  it('draws within the ranges, distinct, the same again for the same seed', () => {
    const { groups } = random();
    expect(groups).toHaveLength(50);
    for (const group of groups) {
      expect(group['model.temperature']).toBeGreaterThanOrEqual(0.001);
      expect(group['model.temperature']).toBeLessThanOrEqual(2);
      expect([1, 2, 3, 4, 5, 6, 7, 8]).toContain(group['batch']);
      expect(Number.isInteger(group['responses'])).toBe(true);
    }
    const cold = groups.filter((group) => Number(group['model.temperature']) < 0.0447).length;
    expect(cold).toBeGreaterThan(10);
    expect(random()).toEqual(random());
    expect(random({ space: Object.fromEntries(Object.entries(space).reverse()) }).runs.map(({ run }) => run)).toEqual(
      random().runs.map(({ run }) => run),
    );
    expect(random({ seed: 1 }).groups).not.toEqual(groups);
  });

  it('takes each combination of a small space once, and refuses more', () => {
    expect(
      new Set(expand({ random: { samples: 4, space: { batch: [1, 2, 3, 4] } } }).groups.map(({ batch }) => batch)),
    ).toEqual(new Set([1, 2, 3, 4]));
    expect(problemsOf(() => expand({ random: { samples: 5, space: { batch: [1, 2, 3, 4] } } }))).toEqual([
      expect.stringContaining(
        'random.samples: expected at most the number of distinct combinations, got 5 where 4 were found',
      ),
    ]);
  });
});

describe('seeds', () => {
  it("alone make one group; without them the base's seed holds, or the preset's", () => {
    expect(expand({ seeds: [1, 2, 3] })).toMatchObject({
      groups: [{}],
      runs: [{ group: 0, seed: 1 }, { seed: 2 }, { seed: 3 }],
    });
    expect(expand({ base: { seed: 9 } }).runs.map(({ seed }) => seed)).toEqual([9]);
    expect(expand({}).runs.map(({ seed }) => seed)).toEqual([42]);
  });
  it('can be swept like any setting', () => {
    expect(
      expand({ grid: { seed: [1, 2] } }).runs.map(({ group, seed, config }) => [group, seed, config.seed]),
    ).toEqual([
      [0, 1, 1],
      [1, 2, 2],
    ]);
  });
});

it('the name is filled in once, for all ids', () => {
  const { name, runs } = expand({ name: 'nightly-{date}-{time}' });
  expect(name).toBe('nightly-20261121-1530');
  expect(runs[0]!.run.startsWith(`${name}-`)).toBe(true);
});

it('weaker layers lie below the base', () => {
  const below = [
    { settings: { model: { kind: 'openai', name: 'm', baseUrl: 'http://m/v1' }, batch: 3 }, where: () => 'env' },
  ];
  const { runs } = expandSweep(
    checkSweep({ name: 't', base: { batch: 5 }, grid: { 'model.temperature': [0, 1] } }),
    START,
    below,
  );
  expect(runs[1]!.config).toMatchObject({ batch: 5, model: { name: 'm', temperature: 1 } });
});

describe('refused', () => {
  const fromFile = (text: string) => () => {
    const { spec, where } = sweepFromFile('s.yaml', text);
    return expandSweep(spec, START, [], where);
  };

  it('a combination that cannot be, with its place and the combination', () => {
    expect(
      problemsOf(
        fromFile(
          'name: t\nbase: {limits: {programs: 20}, responses: 2}\ngrid:\n  batch: [5, 10, 20]\n  population.bins: [4, 8]',
        ),
      ),
    ).toEqual([
      "s.yaml:2:17: limits.programs: expected at least one step's programs (batch 20 * responses 2 = 40), got 20: the run could not make one whole step. This is with batch=20, population.bins=4 and 1 more of 6 combinations.",
    ]);
    expect(problemsOf(fromFile('name: t\nlist:\n  - {batch: 1}\n  - {batch: ten}'))).toEqual([
      's.yaml:4:6: batch: expected a whole number from 1 to 1000000, got "ten". This is with batch=ten.',
    ]);
    expect(problemsOf(fromFile('name: t\nbase: {model: {name: m}}\ngrid: {batch: [1, 2]}'))).toEqual([
      expect.stringMatching(/^s.yaml:2:\d+: model.baseUrl: .* This is with batch=1 and 1 more of 2 combinations\.$/),
    ]);
  });

  it('two combinations that are the same run, naming both', () => {
    expect(problemsOf(() => expand({ list: [{ batch: 8 }, { batch: 4 }, {}] }))).toEqual([
      'sweep: combinations 1 (batch=8) and 3 (base settings) are the same run: leave one out, or set repeat.',
    ]);
  });

  it('a rung before the end of the first step', () => {
    expect(
      problemsOf(() =>
        expand({ stopWhen: { halving: { first: 16 } }, grid: { batch: [4, 8] }, base: { responses: 4 } }),
      ),
    ).toEqual([
      "sweep: stopWhen.halving.first: expected at least one step's programs (batch 8 * responses 4 = 32), got 16. This is with batch=8.",
    ]);
  });

  it('ids that are too long', () => {
    expect(problemsOf(() => expand({ name: 'x'.repeat(40), seeds: [Number.MAX_SAFE_INTEGER] }))).toEqual([
      expect.stringContaining('sweep: name: run ids have at most 60 characters'),
    ]);
  });
});
