// Axes of archives of cells: how features are scaled and binned (CodeEvolve 12 and 13).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  axesOf,
  type Axis,
  quantileEdges,
  scaled,
  type Scaling,
  spaceOf,
  valueOn,
  widened,
} from '../../../evolution/archives/cell-space.ts';
import type { FeatureSettings, PopulationSettings } from '../../../evolution/config/run-config.ts';
import { commitStep } from '../../../evolution/population/insertion.ts';
import { applyChangeSet, emptyPopulation } from '../../../evolution/population/population.ts';
import { rng } from '../../../evolution/rng.ts';
import { expectUniform } from '../../support/domain/chi-square.ts';
import { initial, runWorld, settingsOf, valid } from '../../support/worlds/populations.ts';

const METRIC = 'metric:x';
const axisOf = (feature: Partial<FeatureSettings> = {}, bins = 10): Axis =>
  axesOf({ features: [{ name: METRIC, ...feature }], bins })[0]!;
const NONE: Scaling = { bounds: null };
const settingsWith = (
  features: readonly FeatureSettings[],
  change: Partial<PopulationSettings> = {},
): PopulationSettings => ({ ...settingsOf().population, bins: 10, features, ...change });
const memberWith = (...values: readonly (number | null)[]) => ({ fit: 0, length: 1, values });
/** Cell of a program with this one metric. */
const cellFor = (feature: Partial<FeatureSettings>, value: number, scaling = NONE): string | null =>
  spaceOf(settingsWith([{ name: METRIC, ...feature }]), 1)!.cellOf(memberWith(value), scaling);
const numbers = fc.double({ noNaN: true, noDefaultInfinity: true });

describe('a feature', () => {
  it('takes the bins of the population unless it has its own, is linear, and has the bounds of the programs seen so far', () => {
    expect(
      axesOf({
        features: ['score', { name: 'length', bins: 3 }, { name: METRIC, scale: 'log', min: 1, max: 10 }],
        bins: 7,
      }),
    ).toEqual([
      { feature: 'score', index: 0, bins: 7, scale: 'linear', fixed: null },
      { feature: 'length', index: 1, bins: 3, scale: 'linear', fixed: null },
      { feature: METRIC, index: 2, bins: 7, scale: 'log', fixed: [1, 10] },
    ]);
  });

  it('is read from the member where it has it, else from its values, by the place of the feature', () => {
    const axes = axesOf({ features: ['length', METRIC, 'score', 'cpu'], bins: 2 });
    expect(axes.map((axis) => valueOn(axis, { fit: 0.5, length: 80, values: [null, 7, null, 0] }))).toEqual([
      80, 7, 0.5, 0,
    ]);
    expect(axes.map((axis) => valueOn(axis, { fit: 0.5, length: 80 }))).toEqual([80, null, 0.5, null]);
  });

  it.each([null, undefined, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
    'that is %s gives no cell, on any axis of any archive',
    (value) => {
      for (const map of ['grid', 'cvt'] as const) {
        for (const scale of ['linear', 'log', 'quantile'] as const) {
          const space = spaceOf(settingsWith([{ name: 'length' }, { name: METRIC, scale }], { map }), 1)!;
          expect(space.cellOf(memberWith(null, value as number | null), NONE)).toBe(null);
          expect(space.cellOf(memberWith(null, 1), NONE)).not.toBe(null);
        }
      }
    },
  );

  it.each([0, -0, -1e-300, -5])('of %s has no place on a logarithmic axis only', (value) => {
    expect([
      valueOn(axisOf({ scale: 'log' }), memberWith(value)),
      valueOn(axisOf(), memberWith(value)),
      valueOn(axisOf({ scale: 'quantile' }), memberWith(value)),
    ]).toEqual([null, value, value]);
  });
});

describe('scaling', () => {
  it('lies in [0, 1] and follows the order of values, for any finite values and bounds, the hugest and the tiniest among them', () => {
    const extremes = fc.oneof(
      numbers,
      fc.constantFrom(1e308, -1e308, Number.MAX_VALUE, -Number.MAX_VALUE, Number.MIN_VALUE, 0, -0),
    );
    fc.assert(
      fc.property(
        extremes,
        extremes,
        fc.array(extremes, { minLength: 2, maxLength: 6 }),
        fc.boolean(),
        fc.constantFrom('linear' as const, 'log' as const),
        (a, b, values, fixed, scale) => {
          const of = scale === 'log' ? (x: number) => Math.abs(x) || 1 : (x: number) => x;
          const [min, max] = [Math.min(of(a), of(b)), Math.max(of(a), of(b))];
          const axis = axisOf({ scale, ...(fixed ? { min, max } : {}) });
          const scaling: Scaling = { bounds: fixed ? null : { [METRIC]: [min, max] } };
          const places = values
            .map(of)
            .sort((x, y) => x - y)
            .map((value) => scaled(axis, value, scaling));
          for (const [index, place] of places.entries())
            expect(place >= (places[index - 1] ?? 0) && place <= 1).toBe(true);
          expect(scaled(axis, min, scaling)).toBe(0);
          if (max / 2 > min / 2 && of(max) !== of(min) && (scale === 'linear' || Math.log(max) > Math.log(min)))
            expect(scaled(axis, max, scaling)).toBe(1);
        },
      ),
      { numRuns: 500, seed: 61 },
    );
    expect(scaled(axisOf({ min: -1e308, max: 1e308 }), 0, NONE)).toBe(0.5);
    expect(scaled(axisOf(), 5e307, { bounds: { [METRIC]: [-1e308, 1e308] } })).toBe(0.75);
  });

  it('where bounds coincide, or there are none yet, everyone stands at 0', () => {
    for (const value of [-3, 2, 5])
      expect([scaled(axisOf(), value, { bounds: { [METRIC]: [2, 2] } }), scaled(axisOf(), value, NONE)]).toEqual([
        0, 0,
      ]);
    expect(cellFor({ scale: 'quantile' }, 5)).toBe('0');
  });

  it('running bounds are the minimum and maximum of what has been seen; fixed ones and those of quantiles never move', () => {
    const axes = axesOf({
      features: [
        METRIC,
        { name: 'metric:fixed', min: 0, max: 1 },
        { name: 'metric:q', scale: 'quantile' },
        { name: 'metric:log', scale: 'log' },
      ],
      bins: 4,
    });
    fc.assert(
      fc.property(fc.array(fc.oneof(numbers, fc.constant(null)), { minLength: 1, maxLength: 12 }), (values) => {
        const bounds = values.reduce((before, value) => {
          const after = widened(before, axes, memberWith(value, value, value, value));
          expect(widened(after, axes, memberWith(value, value, value, value))).toBe(after);
          return after;
        }, NONE.bounds);
        const [seen, positive] = [
          values.filter((value) => value !== null),
          values.filter((value) => value !== null && value > 0) as number[],
        ];
        const range = (list: readonly number[]) => [Math.min(...list), Math.max(...list)].map((bound) => bound + 0);
        const expected = {
          ...(seen.length === 0 ? {} : { [METRIC]: range(seen) }),
          ...(positive.length === 0 ? {} : { 'metric:log': range(positive) }),
        };
        expect(
          Object.fromEntries(
            Object.entries(bounds ?? {}).map(([name, range]) => [name, range.map((bound) => bound + 0)]),
          ),
        ).toEqual(expected);
      }),
      { numRuns: 200, seed: 62 },
    );
  });

  it('CodeEvolve 12: scaling a feature and its fixed bounds by 1,000 changes no cell, on a grid and on a tessellation', () => {
    for (const map of ['grid', 'cvt'] as const) {
      for (const scale of ['linear', 'log'] as const) {
        const times = (factor: number) =>
          spaceOf(
            settingsWith([{ name: METRIC, scale, min: 0.3 * factor, max: 7.7 * factor }, { name: 'metric:y' }], {
              map,
              cells: 60,
            }),
            1,
          )!;
        const [plain, scaledUp] = [times(1), times(1_000)];
        const random = rng(63, map, scale);
        const cells = Array.from({ length: 3_000 }, () => {
          const [x, y] = [random.next() * 9, random.next() * 4];
          const cell = plain.cellOf(memberWith(x, y), { bounds: { 'metric:y': [0, 3.3] } });
          expect(scaledUp.cellOf(memberWith(1_000 * x, 1_000 * y), { bounds: { 'metric:y': [0, 3_300] } })).toBe(cell);
          return cell;
        });
        expect(new Set(cells).size).toBeGreaterThan(50);
      }
    }
  });
});

describe('bins', () => {
  it('CodeEvolve 13: the maximum and anything larger share the last bin, the minimum and anything smaller the first', () => {
    for (const scale of ['linear', 'log'] as const) {
      const fixed = { scale, min: 1, max: 1_000 };
      expect([1_000, 1_000.1, 1e9, Number.MAX_VALUE].map((value) => cellFor(fixed, value))).toEqual([
        '9',
        '9',
        '9',
        '9',
      ]);
      expect([1, 0.5, 1e-300].map((value) => cellFor(fixed, value))).toEqual(['0', '0', '0']);
      expect(cellFor({ scale }, 1_000, { bounds: { [METRIC]: [1, 1_000] } })).toBe('9');
    }
    expect([-5, 0, 0.0999, 0.1, 0.95, 1, 2].map((value) => cellFor({ min: 0, max: 1 }, value))).toEqual([
      '0',
      '0',
      '0',
      '1',
      '9',
      '9',
      '9',
    ]);
  });

  it('CodeEvolve 13: uniform values fill the bins of a linear axis evenly, values of uniform magnitude those of a logarithmic one', () => {
    const random = rng(64);
    const drawn = Array.from({ length: 40_000 }, () => random.next());
    const bins = Array.from({ length: 32 }, (_, bin) => String(bin));
    expectUniform(
      drawn.map((u) => cellFor({ bins: 32, min: -3, max: 5 }, 8 * u - 3)!),
      bins,
    );
    expectUniform(
      drawn.map((u) => cellFor({ bins: 32, scale: 'log', min: 1e-3, max: 1e3 }, 10 ** (6 * u - 3))!),
      bins,
    );
  });

  it('a logarithmic axis gives each power its bin', () => {
    const log = { scale: 'log', bins: 3, min: 1, max: 1_000 } as const;
    expect([1, 9.99, 10.01, 99.9, 100.1, 1_000].map((value) => cellFor(log, value))).toEqual([
      '0',
      '0',
      '1',
      '1',
      '2',
      '2',
    ]);
  });

  it('each axis has its own; the name of a cell lists them in the order of the features', () => {
    const space = spaceOf(
      settingsWith([
        { name: 'length', bins: 4, min: 0, max: 100 },
        { name: METRIC, bins: 100, min: 0, max: 1 },
        { name: 'score', bins: 1 },
      ]),
      1,
    )!;
    expect(space.cellOf({ fit: 3, length: 60, values: [null, 0.425, null] }, NONE)).toBe('2-42-0');
    expect(space.size).toBe(400);
  });
});

describe('quantiles', () => {
  it('of different values each bin gets as many as any other, or one more; equal values share a bin', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(
          numbers.map((value) => value + 0),
          { minLength: 1, maxLength: 60 },
        ),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 3 }),
        (values, bins, copies) => {
          const axis = axisOf({ scale: 'quantile', bins });
          const edges = quantileEdges(
            axis,
            values.flatMap((value) => Array<number>(copies).fill(value)),
          );
          expect(edges.length).toBe(bins - 1);
          expect([...edges].sort((a, b) => a - b)).toEqual(edges);
          const filled = new Array<number>(bins).fill(0);
          for (const value of values)
            filled[
              Number(cellFor({ scale: 'quantile', bins }, value, { bounds: null, edges: { [METRIC]: edges } }))
            ]!++;
          expect(filled.reduce((sum, count) => sum + count)).toBe(values.length);
          for (const count of filled) expect(Math.abs(count - values.length / bins)).toBeLessThan(1);
        },
      ),
      { numRuns: 200, seed: 65 },
    );
  });

  it('after every step of a run the bins are equally filled by those who are alive, evictions or not', () => {
    for (const cap of [1_000, 60]) {
      const settings = settingsOf({ cap, islands: 2, features: [{ name: METRIC, scale: 'quantile', bins: 7 }] });
      const random = rng(66, cap);
      const population = emptyPopulation(settings.population);
      for (let step = 0; step < 8; step++) {
        const children =
          step === 0
            ? [{ ...initial(), values: [0] }]
            : Array.from({ length: 24 }, (_, slot) =>
                valid(step, slot, random.next(), { island: slot % 2, values: [step * Math.exp(10 * random.next())] }),
              );
        applyChangeSet(population, commitStep({ population, children, step, settings }));
        const space = spaceOf(settings.population, settings.seed)!;
        const filled = new Array<number>(7).fill(0);
        for (const member of population.all.byBirth) filled[Number(space.cellOf(member, population.state))]!++;
        for (const count of filled) expect(Math.abs(count - population.state.size / 7)).toBeLessThan(1);
        expect(population.state.bounds).toBe(null);
        for (const { cells } of population.maps)
          for (const [cell, elite] of cells) expect(space.cellOf(elite, population.state)).toBe(cell);
      }
      expect(population.state.size).toBe(Math.min(cap, 169));
    }
  });
});

describe('in runs', () => {
  it.each(['grid', 'cvt'] as const)(
    '%s: every elite stands in the cell where it belongs by the bounds as they are after the step',
    (map) => {
      const settings = settingsOf({ map, cells: 20, features: ['score', { name: 'length', min: 60, max: 200 }] });
      const space = spaceOf(settings.population, settings.seed)!;
      let moved = 0;
      runWorld(settings, 67, 12, ({ population, changeSet }) => {
        for (const { cells } of population.maps)
          for (const [cell, elite] of cells) expect(space.cellOf(elite, population.state)).toBe(cell);
        expect(Object.keys(population.state.bounds!)).toEqual(['score']);
        if (changeSet.cells.some(({ program }) => program === null)) moved++;
      });
      expect(moved).toBeGreaterThan(0);
    },
  );
});
