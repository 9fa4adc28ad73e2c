// The weighted sigmoid with offspring penalty (ShinkaEvolve, arXiv 2509.19349) and the weighted rest of the mixture
// (docs/methods/controls.md, openevolve).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SelectionSettings } from '../../../evolution/config/run-config.ts';
import { thetaDefaults } from '../../../evolution/methods/theta.ts';
import { loadPopulation, type Population } from '../../../evolution/population/population.ts';
import { FAILURE_FIT } from '../../../evolution/scoring/failures.ts';
import { sigmoidWeights } from '../../../evolution/selection/policies.ts';
import { drawParents } from '../../../evolution/selection/selection.ts';
import type { Member, ProgramId } from '../../../evolution/types.ts';
import { expectShares, expectUniform } from '../../support/domain/chi-square.ts';
import { grown, initial, settingsOf, valid } from '../../support/worlds/populations.ts';

const DRAWS = 30_000;
type Scored = { readonly fit: number; readonly children?: number };

const populationOf = (programs: readonly Scored[], islands = 1): Population =>
  loadPopulation(
    settingsOf({ islands }).population,
    programs.map(({ fit }, slot) => ({ id: `p${slot}`, fit, bornSeq: slot, length: 10, home: 0, island: 0 })),
    [],
    {
      bounds: null,
      generations: new Array<number>(islands).fill(0),
      lastMigration: 0,
      size: programs.length,
      best: null,
    },
    programs.flatMap(({ children }, slot) =>
      children === undefined ? [] : [{ id: `p${slot}`, parent: null, children, visits: 0, best: null }],
    ),
  );
const parents = (population: Population, selection: Partial<SelectionSettings>, batch = DRAWS): ProgramId[] =>
  drawParents({
    population,
    step: 1,
    batch,
    seed: 7,
    settings: { population: population.settings, selection: { ...thetaDefaults.selection, ...selection } },
  }).map(({ parent }) => parent);

const middle = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.ceil((sorted.length - 1) / 2)]!) / 2;
};
/** The formula as it stands in docs/population.md. */
const formula = (programs: readonly Scored[], lambda: number): ReadonlyMap<string, number> => {
  const median = middle(programs.map(({ fit }) => fit));
  const mad = Math.max(middle(programs.map(({ fit }) => Math.abs(fit - median))), 1e-6);
  return new Map(
    programs.map(({ fit, children = 0 }, slot) => [
      `p${slot}`,
      1 / (1 + Math.exp((-lambda * (fit - median)) / mad)) / (1 + children),
    ]),
  );
};

describe('draws follow the sigmoid', () => {
  const odd = [
    { fit: 3 },
    { fit: -2, children: 1 },
    { fit: 0.5 },
    { fit: 7, children: 40 },
    { fit: 7, children: 4 },
    { fit: 1 },
    { fit: 2.5, children: 3 },
  ];
  const even = [...odd, { fit: 2.25, children: 16 }];
  it.each([
    [10, odd],
    [10, even],
    [1, odd],
    [0.3, even],
  ] as const)('lambda %d', (lambda, programs) =>
    expectShares(parents(populationOf(programs), { kind: 'sigmoid', lambda }), formula(programs, lambda)),
  );

  it('lambda 0: the number of children alone', () =>
    expectShares(
      parents(populationOf(odd), { kind: 'sigmoid', lambda: 0 }),
      new Map(odd.map(({ children = 0 }: Scored, slot) => [`p${slot}`, 1 / (1 + children)])),
    ));

  it('equal scores: uniform, but for children', () => {
    expectUniform(parents(populationOf([{ fit: 4 }, { fit: 4 }, { fit: 4 }]), { kind: 'sigmoid' }), ['p0', 'p1', 'p2']);
    expectShares(
      parents(populationOf([{ fit: 4, children: 1 }, { fit: 4 }]), { kind: 'sigmoid' }),
      new Map([
        ['p0', 1],
        ['p1', 2],
      ]),
    );
  });

  it('a spread below 1e-6 counts as 1e-6', () => {
    const close = [{ fit: 0 }, { fit: 1e-7 }, { fit: 2e-7 }];
    expectShares(
      parents(populationOf(close), { kind: 'sigmoid', lambda: 10 }),
      new Map([-1, 0, 1].map((x, slot) => [`p${slot}`, 1 / (1 + Math.exp(-x))])),
    );
  });

  it('counts the children that steps have made, failures included', () => {
    const settings = settingsOf({ islands: 1 }, { interval: 1000 }, { kind: 'sigmoid', lambda: 0 });
    const first = initial();
    const children = [0, 1, 2].map((slot) => valid(1, slot, 0.5, { parent: first.id }));
    const world = grown(settings, [children, [valid(2, 0, 0.5, { parent: children[0]!.id })]], first);
    const made = new Map([
      [first.id, 3],
      [children[0]!.id, 1],
    ]);
    expectShares(
      parents(world, { kind: 'sigmoid', lambda: 0 }),
      new Map([...world.members.keys()].map((id) => [id, 1 / (1 + (made.get(id) ?? 0))])),
    );
  });
});

describe('sigmoid weights', () => {
  const weightsOf = (fits: readonly number[], lambda: number): readonly number[] =>
    sigmoidWeights(
      fits.map((fit, slot): Member => ({ id: `p${slot}`, fit, bornSeq: slot, length: 1, home: 0 })),
      { lambda, childrenOf: () => 0 },
    );
  const scores = fc.array(
    fc.oneof(
      fc.double({ min: -1.09e308, max: 1.797e308, noNaN: true }),
      fc.double({ min: -1, max: 1, noNaN: true }),
      fc.constant(0),
    ),
    { minLength: 1, maxLength: 12 },
  );

  it('are finite, in the order of the scores and never all 0, whatever the scores', () => {
    fc.assert(
      fc.property(scores, fc.constantFrom(0, 1e-6, 1, 10, 1000), (fits, lambda) => {
        const weights = weightsOf(
          [...fits].sort((a, b) => b - a),
          lambda,
        );
        for (const weight of weights) expect(weight >= 0 && weight <= 1).toBe(true);
        for (const [index, weight] of weights.slice(1).entries()) expect(weight).toBeLessThanOrEqual(weights[index]!);
        expect(weights[0]).toBeGreaterThanOrEqual(0.5);
      }),
      { numRuns: 500, seed: 3 },
    );
  });

  it('know no scale: the largest scores of both signs weigh as small ones do', () => {
    expect(weightsOf([1.7e308, 1e308, -0.5e308, -1e308], 2)).toEqual(
      weightsOf([1.7, 1, -0.5, -1], 2).map((weight) => expect.closeTo(weight, 12)),
    );
  });

  it('measure valid programs by valid ones; an admitted failure weighs nothing beside them', () => {
    const failures = [FAILURE_FIT.invalid, FAILURE_FIT.no_solution, FAILURE_FIT.no_solution, FAILURE_FIT.no_diff];
    const valids = [5, 4, -1e300];
    expect(weightsOf([...valids, ...failures], 10)).toEqual([...weightsOf(valids, 10), 0, 0, 0, 0]);
    expect(Math.max(...weightsOf(failures, 10))).toBeGreaterThan(0);
  });
});

describe('the weighted rest of the mixture', () => {
  const rest: Partial<SelectionSettings> = { exploration: 0, exploitation: 0, rest: 'weighted' };
  it('draws follow max(score, 0.001)', () => {
    const programs = [3, -2, 0.5, 7, 7, 0, 0.0001, 4, 0.02];
    expectShares(
      parents(populationOf(programs.map((fit) => ({ fit }))), rest),
      new Map(programs.map((fit, slot) => [`p${slot}`, Math.max(fit, 0.001)])),
    );
    expectUniform(parents(populationOf([{ fit: -1 }, { fit: -5 }, { fit: 0 }]), rest), ['p0', 'p1', 'p2']);
  });
  it('also of the largest scores; admitted failures only where there is nothing else', () => {
    const fits = [1.7e308, 1.7e308, 0.85e308];
    expectShares(
      parents(populationOf([...fits, FAILURE_FIT.invalid].map((fit) => ({ fit }))), rest),
      new Map([...fits, 0].map((fit, slot) => [`p${slot}`, fit / 1e308])),
    );
    expectUniform(parents(populationOf([{ fit: FAILURE_FIT.invalid }, { fit: FAILURE_FIT.no_diff }]), rest), [
      'p0',
      'p1',
    ]);
  });
  it("draws from the group's island; for an empty island from all", () => {
    const world = grown(settingsOf({ islands: 2 }, { interval: 1000 }), [
      [valid(1, 0, 2), valid(1, 1, 3, { island: 1 })],
    ]);
    const draws = (population: Population) =>
      drawParents({
        population,
        step: 1,
        batch: 2000,
        seed: 3,
        settings: { population: population.settings, selection: { ...thetaDefaults.selection, ...rest } },
      });
    for (const [group, { parent, branch }] of draws(world).entries())
      expect(branch === 'weighted' && world.islands[group % 2]!.byId.has(parent)).toBe(true);
    const emptied = populationOf([{ fit: 1 }, { fit: 2 }], 2);
    const onEmpty = draws(emptied).filter((_, group) => group % 2 === 1);
    expectShares(
      onEmpty.map(({ parent }) => parent),
      new Map([
        ['p0', 1],
        ['p1', 2],
      ]),
    );
    expect(onEmpty.every(({ branch, island }) => branch === 'population' && island === 0)).toBe(true);
  });
  it('keeps the shares of the other two', () => {
    const world = grown(
      settingsOf({ islands: 1, archive: 3, bins: 1 }, { interval: 1000 }),
      [[1, 2, 3, 4, 5].map((fit, slot) => valid(1, slot, fit))].flat().map((child) => [child]),
    );
    const draws = drawParents({
      population: world,
      step: 1,
      batch: DRAWS,
      seed: 3,
      settings: {
        population: world.settings,
        selection: { ...thetaDefaults.selection, exploration: 0.2, exploitation: 0.7, rest: 'weighted' },
      },
    });
    const total = [...world.members.values()].reduce((sum, { fit }) => sum + Math.max(fit, 0.001), 0);
    expectShares(
      draws.map(({ parent }) => parent),
      new Map(
        [...world.members.values()].map(({ id, fit }) => [
          id,
          0.2 / world.members.size +
            (world.archive.byId.has(id) ? 0.7 / world.archive.byId.size : 0) +
            (0.1 * Math.max(fit, 0.001)) / total,
        ]),
      ),
    );
  });
});
