// One table of laws, run against every archive through its interface: grids, tessellation, queue and elite archive.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Archive, CellArchive, CellChange, CellElites } from '../../../evolution/archives/archive.ts';
import { CellDraft } from '../../../evolution/archives/cell-archive.ts';
import { type Scaling, spaceOf } from '../../../evolution/archives/cell-space.ts';
import { EliteDraft } from '../../../evolution/archives/elite-archive.ts';
import { QueueDraft } from '../../../evolution/archives/queue-archive.ts';
import { RosterDraft, rosterOf } from '../../../evolution/archives/roster.ts';
import type { FeatureSettings, PopulationSettings } from '../../../evolution/config/run-config.ts';
import { commitStep } from '../../../evolution/population/insertion.ts';
import type { Member } from '../../../evolution/types.ts';
import { childrenAt, runHistory } from '../../support/engine/histories.ts';
import { grown, initial, settingsOf, valid } from '../../support/worlds/populations.ts';

/** Changes of an archive, in a form that all of them have: a place and who is there now. */
type Change = { readonly place: string; readonly elite: Member | null };
type Draft = { readonly archive: Archive; readonly changes: () => readonly Change[] };
type Kind = {
  /** The archive as it is when these were kept so far: what a step begins with. */
  readonly over: (kept: readonly Member[]) => Draft;
  /** Whom it keeps of all who were ever inserted. */
  readonly keeps: (inserted: readonly Member[]) => readonly Member[];
};

const isBetter = (a: Member, b: Member): boolean => a.fit > b.fit || (a.fit === b.fit && a.bornSeq < b.bornSeq);
const byMerit = (members: readonly Member[]): readonly Member[] =>
  [...members].sort((a, b) => (isBetter(a, b) ? -1 : 1));
const idsOf = (members: readonly Member[]): readonly string[] => members.map(({ id }) => id);

const celled = (
  map: 'grid' | 'cvt',
  features: readonly FeatureSettings[],
  scaling: Scaling = { bounds: null },
  cells = 12,
): Kind => {
  const space = spaceOf({ ...settingsOf().population, map, features, cells, bins: 4 }, 7)!;
  const cellNow = (member: Member): string | null => space.cellOf(member, scaling);
  return {
    over: (kept) => {
      const named = kept.map((member) => [cellNow(member)!, member] as const);
      return ofCells(
        new CellDraft({ cells: new Map(named), cellOf: new Map(named.map(([cell, { id }]) => [id, cell])) }, cellNow),
      );
    },
    keeps: (inserted) => {
      const best = new Map<string, Member>();
      for (const member of byMerit(inserted)) {
        const cell = cellNow(member);
        if (cell !== null && !best.has(cell)) best.set(cell, member);
      }
      return byMerit([...best.values()]);
    },
  };
};

const queue = (places: number): Kind => ({
  over: (kept) =>
    ofCells(
      new QueueDraft(
        { cells: new Map(kept.map((member) => [member.id, member])), cellOf: new Map(kept.map(({ id }) => [id, id])) },
        places,
      ),
    ),
  keeps: (inserted) => byMerit(inserted).slice(0, places),
});

const elite = (places: number): Kind => ({
  over: (kept) => {
    const roster = new RosterDraft(rosterOf(kept));
    return {
      archive: new EliteDraft(roster, places),
      changes: () => {
        const { add, remove } = roster.changes();
        return [
          ...remove.map((place) => ({ place, elite: null })),
          ...add.map((elite) => ({ place: elite.id, elite })),
        ];
      },
    };
  },
  keeps: (inserted) => byMerit(inserted).slice(0, places),
});

const ofCells = (archive: CellArchive): Draft => ({
  archive,
  changes: () => archive.changes().map(({ cell, elite }) => ({ place: cell, elite })),
});

const METRIC = 'metric:x';
const KINDS: { readonly [name: string]: Kind } = {
  'grid, fixed bounds': celled('grid', [
    { name: 'score', min: -1, max: 1 },
    { name: 'length', min: 50, max: 150 },
  ]),
  'grid, bounds as measured so far': celled('grid', [{ name: 'length' }, { name: METRIC, bins: 3 }], {
    bounds: { length: [60, 140], [METRIC]: [-1, 4] },
  }),
  'grid, logarithmic': celled('grid', [{ name: 'length' }, { name: METRIC, scale: 'log', min: 0.1, max: 10 }], {
    bounds: { length: [50, 150] },
  }),
  'grid, quantiles': celled(
    'grid',
    [
      { name: 'score', scale: 'quantile' },
      { name: METRIC, scale: 'quantile' },
    ],
    { bounds: null, edges: { score: [-0.5, 0, 0.5], [METRIC]: [0, 1, 3] } },
  ),
  'grid of one cell': celled('grid', [{ name: 'score', bins: 1 }]),
  tessellation: celled('cvt', [
    { name: 'score', min: -1, max: 1 },
    { name: METRIC, min: -2, max: 5 },
  ]),
  'tessellation of one cell': celled('cvt', [{ name: 'score' }], { bounds: { score: [-1, 1] } }, 1),
  'queue of 5': queue(5),
  'queue of 1': queue(1),
  'elite archive of 5': elite(5),
  'elite archive of 1': elite(1),
};

/**
 * Programs of a run, in order of birth. Few different scores, so that ties are common; some lack the second feature.
 */
const programs: fc.Arbitrary<readonly Member[]> = fc
  .array(
    fc.record({
      fit: fc.integer({ min: -4, max: 4 }).map((n) => n / 4),
      length: fc.integer({ min: 4, max: 16 }).map((n) => 10 * n),
      value: fc.constantFrom(null, Number.NaN, Number.NEGATIVE_INFINITY, -2, 0, 0.1, 0.5, 1, 2, 3, 5, 10, 20),
    }),
    { maxLength: 24 },
  )
  .map((list) =>
    list.map(({ fit, length, value }, index) => ({
      id: `p${index}`,
      fit,
      bornSeq: index,
      length,
      home: 0,
      values: [length, value],
    })),
  );
const orders = programs.chain((born) =>
  fc.record({
    born: fc.constant(born),
    inserted: fc.shuffledSubarray([...born], { minLength: born.length }),
    split: fc.nat(born.length),
  }),
);
const RUNS = { numRuns: 120, seed: 51 };

describe.each(Object.entries(KINDS))('%s', (_name, { over, keeps }) => {
  it('ThetaEvolve 9: keeps the best for each place, of equals the earlier, whatever the order of arrival', () => {
    fc.assert(
      fc.property(orders, ({ born, inserted }) => {
        const { archive } = over([]);
        for (const [index, member] of inserted.entries()) {
          archive.insert(member);
          expect(idsOf(archive.members())).toEqual(idsOf(keeps(inserted.slice(0, index + 1))));
        }
        const inOrder = over([]).archive;
        for (const member of born) inOrder.insert(member);
        expect(inOrder.members()).toEqual(archive.members());
      }),
      RUNS,
    );
  });

  it('an insertion tells what came of it; nobody is kept twice; members() and has() agree', () => {
    fc.assert(
      fc.property(orders, ({ inserted }) => {
        const { archive } = over([]);
        for (const member of inserted) {
          const before = idsOf(archive.members());
          const { kept, displaced } = archive.insert(member);
          const after = idsOf(archive.members());
          expect(new Set(after).size).toBe(after.length);
          expect([...after].sort()).toEqual(
            [...before.filter((id) => id !== displaced?.id), ...(kept ? [member.id] : [])].sort(),
          );
          if (displaced !== null)
            expect([before.includes(displaced.id), isBetter(member, displaced)]).toEqual([true, true]);
          expect(inserted.filter(({ id }) => archive.has(id)).length).toBe(after.length);
          expect(after.every((id) => archive.has(id))).toBe(true);
        }
      }),
      RUNS,
    );
  });

  it('repeating insertions changes nothing, neither what is kept nor what is written', () => {
    fc.assert(
      fc.property(orders, ({ inserted, born }) => {
        const { archive, changes } = over([]);
        for (const member of inserted) archive.insert(member);
        const [members, written] = [archive.members(), changes()];
        for (const member of [...born, ...inserted])
          expect(archive.insert(member)).toEqual({ kept: members.some(({ id }) => id === member.id), displaced: null });
        expect([archive.members(), changes()]).toEqual([members, written]);
      }),
      RUNS,
    );
  });

  it('changes are absolute and minimal: laid over what was kept they give what is kept, and none says what was so already', () => {
    fc.assert(
      fc.property(orders, fc.array(fc.nat(23), { maxLength: 5 }), ({ inserted, split }, removed) => {
        const base = keeps(inserted.slice(0, split));
        const { archive, changes } = over(base);
        const before = placesOf(archive);
        expect(changes()).toEqual([]);
        for (const [index, member] of inserted.slice(split).entries()) {
          archive.insert(member);
          for (const id of removed) if (id % 7 === index) archive.remove(`p${id}`);
        }
        const after = new Map(before);
        const written = changes();
        expect(new Set(written.map(({ place }) => place)).size).toBe(written.length);
        for (const { place, elite } of written) {
          expect(before.get(place) ?? null).not.toBe(elite?.id ?? null);
          if (elite === null) after.delete(place);
          else after.set(place, elite.id);
        }
        expect(after).toEqual(placesOf(archive));
      }),
      RUNS,
    );
  });

  it('who is removed is gone and makes room for one; who comes back is judged anew', () => {
    fc.assert(
      fc.property(orders, fc.nat(), ({ inserted, split }, pick) => {
        const { archive, changes } = over(keeps(inserted.slice(0, split)));
        for (const member of inserted.slice(split)) archive.insert(member);
        const full = archive.members();
        archive.remove('nobody');
        for (const { id } of inserted) if (!archive.has(id)) archive.remove(id);
        expect(archive.members()).toEqual(full);
        if (full.length === 0) return;
        const gone = full[pick % full.length]!;
        const written = changes();
        archive.remove(gone.id);
        expect(archive.has(gone.id)).toBe(false);
        expect(archive.members()).toEqual(full.filter(({ id }) => id !== gone.id));
        expect(archive.insert(gone)).toEqual({ kept: true, displaced: null });
        expect([archive.members(), changes()]).toEqual([full, written]);
        archive.remove(gone.id);
        const others = inserted.filter(({ id }) => id !== gone.id);
        for (const member of others) archive.insert(member);
        expect(idsOf(archive.members())).toEqual(idsOf(keeps(others)));
        for (const member of [gone, ...others]) archive.insert(member);
        expect(archive.members()).toEqual(full);
      }),
      RUNS,
    );
  });

  it('what a step begins with is as if it had just been inserted', () => {
    fc.assert(
      fc.property(orders, ({ inserted, split }) => {
        const { archive } = over(keeps(inserted.slice(0, split)));
        for (const member of inserted.slice(split)) archive.insert(member);
        expect(idsOf(archive.members())).toEqual(idsOf(keeps(inserted)));
      }),
      RUNS,
    );
  });
});

/** Place by place who is there. Members of the elite archive have no names but their programs'. */
const placesOf = (archive: Archive): ReadonlyMap<string, string> =>
  new Map(archive.members().map(({ id }) => [(archive as Partial<CellArchive>).cellOf?.(id) ?? id, id]));

describe('cells that move', () => {
  const settings: PopulationSettings = {
    ...settingsOf().population,
    bins: 4,
    features: [{ name: 'length' }, { name: METRIC, bins: 3 }],
  };
  const scalings: fc.Arbitrary<Scaling> = fc
    .tuple(
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 10, max: 30 }),
      fc.integer({ min: -5, max: 0 }),
      fc.integer({ min: 1, max: 30 }),
    )
    .map(([low, high, least, most]) => ({ bounds: { length: [10 * low, 10 * high], [METRIC]: [least, most] } }));

  it.each(['grid', 'cvt'] as const)(
    '%s: elites go where they belong now; of those who meet the best stays; nobody enters; binning again changes nothing',
    (map) => {
      const space = spaceOf({ ...settings, map, cells: 12 }, 7)!;
      fc.assert(
        fc.property(programs, scalings, scalings, (inserted, before, after) => {
          let scaling = before;
          const empty: CellElites = { cells: new Map(), cellOf: new Map() };
          const draft = new CellDraft(empty, (member) => space.cellOf(member, scaling));
          for (const member of inserted) draft.insert(member);
          const elites = draft.members();
          draft.rebin();
          expect(draft.members()).toEqual(elites);
          scaling = after;
          const expected = new Map<string, string>();
          for (const member of elites) {
            const cell = space.cellOf(member, after)!;
            if (!expected.has(cell)) expected.set(cell, member.id);
          }
          for (let again = 0; again < 2; again++) {
            draft.rebin();
            expect(new Map(draft.members().map(({ id }) => [draft.cellOf(id), id]))).toEqual(expected);
            expect(
              new Map(
                draft.changes().flatMap(({ cell, elite }: CellChange) => (elite === null ? [] : [[cell, elite.id]])),
              ),
            ).toEqual(expected);
          }
        }),
        RUNS,
      );
    },
  );
});

describe('what is not finite never enters', () => {
  const settings = settingsOf(
    { islands: 2, siblings: 1, features: [{ name: 'metric:a', scale: 'log' }, 'metric:b'], bins: 4 },
    { interval: 1_000 },
  );

  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, undefined])(
    'a valid child without a finite fit (%s) is an error, be it the first, a lesser sibling or a twin',
    (fit) => {
      const wrong = { ...valid(1, 1, 0), fit } as ReturnType<typeof valid>;
      const first = valid(1, 0, 0.9);
      for (const children of [[wrong], [first, wrong], [first, { ...wrong, sameAs: first.id }]]) {
        expect(() => commitStep({ population: grown(settings), children, step: 1, settings })).toThrow(
          /expected a finite fit/,
        );
      }
    },
  );

  it('a program without a feature has no cell and is counted for it, once; it lives on its island all the same', () => {
    const children = [
      valid(1, 0, 0.1, { parent: 'a', island: 1, values: [null, 2] }),
      valid(1, 1, 0.2, { parent: 'b', values: [0, Number.NaN] }),
      valid(1, 2, 0.3, { parent: 'c', values: [-3, 1] }),
      valid(1, 3, 0.4, { parent: 'd', values: [Number.POSITIVE_INFINITY, 1] }),
      valid(1, 4, 0.5, { parent: 'e' }),
      valid(1, 5, 0.6, { parent: 'f', values: [5, 1] }),
      valid(1, 6, 0.6, { parent: 'g', values: [null, null], sameAs: valid(1, 5, 0).id }),
    ];
    const population = grown(settings, [children], { ...initial(), values: [2, 2] });
    expect(population.state.noCell).toEqual({ 'metric:a': 5, 'metric:b': 2 });
    expect([...population.islands[0]!.byId.keys()]).toEqual([initial(), ...children.slice(1, 6)].map(({ id }) => id));
    expect(population.islands[1]!.byId.has(children[0]!.id)).toBe(true);
    const elites = new Set(population.maps.flatMap(({ cellOf }) => [...cellOf.keys()]));
    expect([...elites].sort()).toEqual([initial().id, children[5]!.id].sort());
    expect(population.state.bounds).toEqual({ 'metric:a': [2, 5], 'metric:b': [1, 2] });
  });

  it('a score that is not above 0 has no place on a logarithmic axis and is counted too', () => {
    const logarithmic = settingsOf({ features: [{ name: 'score', scale: 'log' }], islands: 1 });
    const population = grown(logarithmic, [[valid(1, 0, -0.1), valid(1, 1, 0), valid(1, 2, 0.7)]]);
    expect(population.state.noCell).toEqual({ score: 2 });
    expect([...population.maps[0]!.cellOf.keys()].sort()).toEqual([initial().id, valid(1, 2, 0).id].sort());
    expect(population.state.size).toBe(4);
  });

  it('over whole runs every elite has all its features, and who lacks one is counted, evicted or not', () => {
    for (const map of ['grid', 'cvt'] as const) {
      const world = settingsOf({
        map,
        cells: 10,
        islands: 3,
        cap: 25,
        features: [{ name: METRIC, scale: 'log', ...(map === 'grid' ? { bins: 3 } : {}) }, 'length', 'metric:b'],
      });
      const counted = { [METRIC]: 0, 'metric:b': 0 };
      runHistory(world, 52, 12, ({ children, population }) => {
        for (const { outcome, sameAs, values } of children) {
          if (outcome !== 'valid' || sameAs !== undefined) continue;
          if (!Number.isFinite(values![0]) || values![0]! <= 0) counted[METRIC]++;
          if (!Number.isFinite(values![2])) counted['metric:b']++;
        }
        expect(population.state.noCell ?? {}).toEqual(
          Object.fromEntries(Object.entries(counted).filter(([, count]) => count > 0)),
        );
        for (const { cells } of population.maps) {
          for (const { values } of cells.values())
            expect([values![0]! > 0, Number.isFinite(values![0]), Number.isFinite(values![2])]).toEqual([
              true,
              true,
              true,
            ]);
        }
      });
      expect(counted[METRIC]).toBeGreaterThan(20);
    }
  });
});

/**
 * Children of a step differ from run to run; kept here so that a change of the histories cannot empty the tests
 * above.
 */
it('the histories have ties, failures, twins, seed programs and injected programs', () => {
  const settings = settingsOf();
  const population = runHistory(settings, 53, 6);
  const children = [7, 8, 9, 10].flatMap((step) => childrenAt(population, settings, step, 53, 6));
  for (const has of [
    children.some(({ outcome }) => outcome !== 'valid'),
    children.some(({ sameAs }) => sameAs !== undefined),
    children.some(({ founder }) => founder === true),
    children.some(({ parent }) => parent === null),
    new Set(children.map(({ fit }) => fit)).size < children.length / 2,
  ])
    expect(has).toBe(true);
});
