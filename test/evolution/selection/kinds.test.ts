// The kinds of selection beside the mixture: frequencies against the formulas, pools, and what holds of every draw.
import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { SelectionSettings } from '../../../evolution/config/run-config.ts';
import { thetaDefaults } from '../../../evolution/methods/theta.ts';
import { loadPopulation, type Population, rowsOf } from '../../../evolution/population/population.ts';
import { drawParents } from '../../../evolution/selection/selection.ts';
import { ARCHIVE, type Member, type ProgramId } from '../../../evolution/types.ts';
import { expectShares, expectUniform } from '../../support/domain/chi-square.ts';
import { failed, grown, initial, runWorld, settingsOf, valid } from '../../support/worlds/populations.ts';

const KINDS = ['uniform', 'rank', 'power', 'tournament', 'roulette', 'best', 'sigmoid', 'puct'] as const;
/** Kinds that draw nothing: the seed changes nothing. */
const WITHOUT_CHANCE: ReadonlySet<string> = new Set(['best', 'puct']);
const POOLS = ['island', 'cells', 'archive', 'population'] as const;
const DRAWS = 30_000;

const drawn = (
  population: Population,
  selection: Partial<SelectionSettings>,
  { batch = 50, seed = 42, step = 3 } = {},
) =>
  drawParents({
    population,
    step,
    batch,
    seed,
    settings: { population: population.settings, selection: { ...thetaDefaults.selection, ...selection } },
  });
const parents = (population: Population, selection: Partial<SelectionSettings>, batch = DRAWS): ProgramId[] =>
  drawn(population, selection, { batch }).map(({ parent }) => parent);
const bestFirst = (members: Iterable<Member>): Member[] =>
  [...members].sort((a, b) => b.fit - a.fit || a.bornSeq - b.bornSeq);

/** One island of programs with these scores, born in this order. */
const withScores = (first: number, ...scores: readonly number[]): Population =>
  grown(
    settingsOf({ islands: 1, cap: 1000, archive: 4 }, { interval: 1000 }),
    [scores.map((score, slot) => valid(1, slot, score))],
    initial(first),
  );

const SCORES = [3, -2, 0.5, 7, 7, 1, -2, 4, 6, 2.25, -8, 5] as const;
const population = withScores(...SCORES);
const ranked = bestFirst(population.members.values());
const byRank = (weight: (rank: number, member: Member) => number) =>
  new Map(ranked.map((member, index) => [member.id, weight(index + 1, member)]));
const count = ranked.length;

describe('draws follow the formula', () => {
  it('uniform', () =>
    expectUniform(
      parents(population, { kind: 'uniform' }),
      ranked.map(({ id }) => id),
    ));

  it('rank: 1/r, ties to the earlier program', () =>
    expectShares(
      parents(population, { kind: 'rank' }),
      byRank((rank) => 1 / rank),
    ));

  it('CodeEvolve 1: rank over a pool of 10: the best 0.3414, the tenth 0.0341; over a pool of 30: the best 0.2503', () => {
    const ten = withScores(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
    const ids = parents(ten, { kind: 'rank' });
    const best = bestFirst(ten.members.values());
    const share = (member: Member) => ids.filter((id) => id === member.id).length / ids.length;
    expect(Math.abs(share(best[0]!) - 0.3414)).toBeLessThan(0.01);
    expect(Math.abs(share(best[9]!) - 0.0341)).toBeLessThan(0.01);
    const thirty = withScores(0, ...Array.from({ length: 29 }, (_, index) => index + 1));
    const drawn = parents(thirty, { kind: 'rank' });
    const [first] = bestFirst(thirty.members.values());
    expect(Math.abs(drawn.filter((id) => id === first!.id).length / drawn.length - 0.2503)).toBeLessThan(0.01);
  });

  it.each([0.5, 2, 5])('power: r^-%d', (alpha) =>
    expectShares(
      parents(population, { kind: 'power', alpha }),
      byRank((rank) => rank ** -alpha),
    ),
  );

  it('power with exponent 1 draws as rank does, with 0 uniformly', () => {
    expect(parents(population, { kind: 'power', alpha: 1 }, 1000)).toEqual(parents(population, { kind: 'rank' }, 1000));
    expectUniform(
      parents(population, { kind: 'power', alpha: 0 }),
      ranked.map(({ id }) => id),
    );
  });

  it.each([2, 3, 7])('tournament: the best of %i drawn with replacement', (tournament) =>
    expectShares(
      parents(population, { kind: 'tournament', tournament }),
      byRank((rank) => ((count - rank + 1) / count) ** tournament - ((count - rank) / count) ** tournament),
    ),
  );

  it('a tournament of one is uniform', () =>
    expectUniform(
      parents(population, { kind: 'tournament', tournament: 1 }),
      ranked.map(({ id }) => id),
    ));

  it('roulette: 0.01 + (fit - worst) / (best - worst)', () =>
    expectShares(
      parents(population, { kind: 'roulette' }),
      byRank((_, { fit }) => 0.01 + (fit + 8) / 15),
    ));

  it('best: always the best, of equals the earlier', () => {
    expect(new Set(parents(population, { kind: 'best' }, 1000))).toEqual(new Set([ranked[0]!.id]));
    expect(ranked[0]!.fit).toBe(ranked[1]!.fit);
    expect(ranked[0]!.bornSeq).toBeLessThan(ranked[1]!.bornSeq);
  });
});

describe('roulette', () => {
  const onScale = (scale: (score: number) => number) => {
    const [first, ...rest] = SCORES.map(scale);
    return parents(withScores(first!, ...rest), { kind: 'roulette' }, 2000);
  };
  it('knows no scale and no zero: other units and negative scores give the same draws', () => {
    for (const scale of [
      (score: number) => score * 1024,
      (score: number) => score - 1000,
      (score: number) => score * 2 ** 1000,
    ])
      expect(onScale(scale)).toEqual(onScale((score) => score));
  });
  it('works with the largest scores of both signs, and with equal ones', () => {
    const huge = withScores(-1e308, 0, 1.7e308, 1.7e308);
    expectShares(
      parents(huge, { kind: 'roulette' }),
      new Map(bestFirst(huge.members.values()).map(({ id, fit }) => [id, 0.01 + (fit / 1e308 + 1) / 2.7])),
    );
    const equal = withScores(-5, -5, -5);
    expectUniform(parents(equal, { kind: 'roulette' }), [...equal.members.keys()]);
  });
  it('measures valid programs by valid ones; admitted failures count as the worst', () => {
    const settings = settingsOf({ islands: 1, cap: 100, archive: 4, admitFailures: true }, { interval: 1000 });
    const mixed = grown(
      settings,
      [[valid(1, 0, 1), valid(1, 1, 2), failed(1, 2, 'invalid'), failed(1, 3, 'no_diff')]],
      initial(0),
    );
    const share = (fit: number) => 0.01 + Math.max(0, fit) / 2;
    expectShares(
      parents(mixed, { kind: 'roulette' }),
      new Map([...mixed.members.values()].map(({ id, fit }) => [id, share(fit)])),
    );
  });
});

describe('pools', () => {
  const islands = 4;
  const many = runWorld(settingsOf({ cap: 60, archive: 20, islands }), 21, 12, () => {});
  const byTurn = (pool: SelectionSettings['pool'], of = many) => {
    const draws = drawn(of, { kind: 'uniform', pool }, { batch: 20_000, step: 1 });
    return of.islands.map((roster, island) => ({
      roster,
      draws: draws.filter((_, group) => group % islands === island),
    }));
  };
  const rowsWithout = (keep: (island: number) => boolean): Population => {
    const { memberships, cells } = rowsOf(many);
    const kept = memberships.filter(({ island }) => keep(island));
    const alive = new Set(kept.map(({ id }) => id));
    return loadPopulation(
      many.settings,
      kept,
      cells.filter(({ program }) => alive.has(program)),
      { ...many.state, size: alive.size },
    );
  };

  it("island: the members of the group's island, each of them", () => {
    for (const { roster, draws } of byTurn('island')) {
      expectUniform(
        draws.map(({ parent }) => parent),
        [...roster.byId.keys()],
      );
      expect(new Set(draws.map(({ branch }) => branch))).toEqual(new Set(['island']));
    }
  });

  it("archive: the members of the archive on the group's island", () => {
    for (const { roster, draws } of byTurn('archive')) {
      const archived = many.archive.byBirth.filter(({ id }) => roster.byId.has(id)).map(({ id }) => id);
      expect(archived.length).toBeGreaterThan(1);
      expectUniform(
        draws.map(({ parent }) => parent),
        archived,
      );
      expect(new Set(draws.map(({ branch }) => branch))).toEqual(new Set(['archive']));
    }
  });

  it("population: everyone alive, whichever island's turn it is", () => {
    for (const { draws } of byTurn('population'))
      expectUniform(
        draws.map(({ parent }) => parent),
        [...many.members.keys()],
      );
  });

  it('an empty island draws from the whole population; parents count at home', () => {
    const emptied = rowsWithout((island) => island !== 2);
    const { draws } = byTurn('island', emptied)[2]!;
    expectUniform(
      draws.map(({ parent }) => parent),
      [...emptied.members.keys()],
    );
    expect(
      draws.every(
        ({ parent, island, branch }) => branch === 'population' && island === emptied.members.get(parent)!.home,
      ),
    ).toBe(true);
  });

  it('an archive without a member on the island gives the whole archive; without any member of the archive, the island', () => {
    const elsewhere = grown(settingsOf({ islands, archive: 1, bins: 1 }, { interval: 1000 }), [
      [valid(1, 0, 0.9, { island: 1 })],
    ]);
    expect(new Set(byTurn('archive', elsewhere)[0]!.draws.map(({ parent }) => parent))).toEqual(
      new Set([valid(1, 0, 0).id]),
    );
    for (const { roster, draws } of byTurn(
      'archive',
      rowsWithout((island) => island !== ARCHIVE),
    )) {
      expectUniform(
        draws.map(({ parent }) => parent),
        [...roster.byId.keys()],
      );
    }
  });
});

describe('every draw', () => {
  const scores = fc.array(
    fc.oneof(fc.constantFrom(-1, 0, 0, 1), fc.double({ min: -1e308, max: 1.7e308, noNaN: true })),
    { minLength: 0, maxLength: 30 },
  );
  const selections = fc.record({
    kind: fc.constantFrom(...KINDS, 'mixture' as const),
    pool: fc.constantFrom(...POOLS),
    alpha: fc.constantFrom(0, 0.3, 1, 100),
    tournament: fc.integer({ min: 1, max: 20 }),
  });
  it('is a living member that counts on its island, and the same for the same input; also with one member, equal, negative and huge scores', () => {
    fc.assert(
      fc.property(
        scores,
        selections,
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 0, max: 1e6 }),
        (fits, selection, islands, seed) => {
          const children = fits.map((fit, slot) => valid(1, slot, fit, { island: slot % islands }));
          const world = grown(settingsOf({ islands, cap: 20, archive: 5 }), [children], initial(fits[0] ?? -3));
          const before = rowsOf(world);
          const first = drawn(world, selection, { seed });
          expect(first).toHaveLength(50);
          for (const { parent, island } of first) expect(world.islands[island]!.byId.has(parent)).toBe(true);
          expect(drawn(world, selection, { seed })).toEqual(first);
          expect(rowsOf(world)).toEqual(before);
        },
      ),
      { numRuns: 150, seed: 17 },
    );
  });

  it.each(KINDS)('%s: depends on seed, step and group alone, not on the size of the batch', (kind) => {
    expect(drawn(population, { kind }, { batch: 64 }).slice(0, 32)).toEqual(drawn(population, { kind }, { batch: 32 }));
    if (WITHOUT_CHANCE.has(kind)) return;
    expect(drawn(population, { kind }, { seed: 43 })).not.toEqual(drawn(population, { kind }));
    expect(drawn(population, { kind }, { step: 4 })).not.toEqual(drawn(population, { kind }));
  });

  it('ranks a pool of 100,000 equal programs once, and draws from it 20,000 times, within three seconds of CPU', () => {
    const members = Array.from({ length: 100_000 }, (_, slot) => ({
      id: `p${slot}`,
      fit: 1,
      bornSeq: slot,
      length: 10,
      home: 0,
      island: 0,
    }));
    const large = loadPopulation({ ...thetaDefaults.population, islands: 1, cap: 1_000_000 }, members, [], {
      bounds: null,
      generations: [0],
      lastMigration: 0,
      size: 100_000,
      best: null,
    });
    const start = process.cpuUsage();
    expect(parents(large, { kind: 'rank' }, 20_000)).toContain('p0');
    const { user, system } = process.cpuUsage(start);
    expect((user + system) / 1000).toBeLessThan(3000);
  });
});

describe('the mixture stays what recorded runs drew', () => {
  const members = Array.from({ length: 60 }, (_, slot): Member => ({
    id: `p${slot}`,
    fit: (slot * 37) % 23,
    bornSeq: slot,
    length: 100,
    home: slot % 4,
  }));
  const rows = members.flatMap((member) => [
    { ...member, island: member.home },
    ...(member.bornSeq % 7 === 0 ? [{ ...member, island: (member.home + 1) % 4 }] : []),
    ...(member.fit > 15 ? [{ ...member, island: ARCHIVE }] : []),
  ]);
  it('byte for byte', () => {
    const recorded = loadPopulation(settingsOf({ cap: 60, archive: 20 }).population, rows, [], {
      bounds: null,
      generations: [0, 0, 0, 0],
      lastMigration: 0,
      size: 60,
      best: null,
    });
    const selection = { ...thetaDefaults.selection, archiveShare: 1 };
    const settings = { population: recorded.settings, selection };
    const drawn = drawParents({ population: recorded, step: 3, batch: 1000, seed: 42, settings });
    const digest = createHash('sha256').update(JSON.stringify(drawn)).digest('hex');
    expect(digest).toBe('3c8f75cdfc041c6cd723cec417fbe68d6f00eb781d2a9d45798e9869c9bcbf2d');
  });
});
