// Whole runs on every kind of archive, with measured features, initialisation, both styles of migration, context in prompts
// and embeddings: they come through a kill of the worker, and a rebuild finds nothing.
import { describe, expect, it } from 'vitest';
import { promptId } from '../../../evolution/ids.ts';
import { liveHome, sharedHome } from '../../support/machine/live.ts';
import { FULL } from '../../support/sizes.ts';
import { expectWhole } from '../../support/machine/whole.ts';

type Settings = Parameters<ReturnType<typeof liveHome>['engine']['start']>[1];

/** The level `fork`: what is done with programs is the same on each. */
const BASE = { seed: 7, batch: 4, responses: 2, limits: { steps: 4 } } as const;

const KINDS: { readonly [name: string]: Settings } = {
  // CodeEvolve's population: a tessellation over score, a metric and CPU time, initialised islands, migration once in a
  // life.
  tessellation: {
    population: {
      map: 'cvt',
      cells: 12,
      islands: 2,
      cap: 40,
      archive: 8,
      initialisation: 3,
      features: [{ name: 'score', min: 0, max: 2.8 }, 'metric:sum_radii_strict', { name: 'cpu', scale: 'log' }],
    },
    selection: { kind: 'rank', pool: 'cells' },
    migration: { topology: 'ring', style: 'once', unit: 'steps', interval: 2, rate: 0.5 },
    prompt: { priorPrograms: 0, inspirations: 2, ancestors: 2, bestEver: true, reintroduced: true },
  },
  // Quantile bins of measured texts in one grid for all, DeltaEvolve's elites and diverse nodes, Shinka's parents,
  // sparing eviction.
  quantiles: {
    population: {
      map: 'grid',
      grid: 'global',
      islands: 3,
      cap: 20,
      archive: 5,
      eviction: 'protect-elites',
      bins: 3,
      features: [{ name: 'diversity', scale: 'quantile' }, 'tree-size'],
    },
    selection: { kind: 'sigmoid', pool: 'island' },
    migration: { topology: 'star', interval: 4, rate: 0.3 },
    prompt: { priorPrograms: 0, elites: 2, diverse: 2, scope: 'run' },
  },
  // TTT-Discover's reuse over a priority queue, and embeddings that find near-duplicates only.
  queue: {
    population: { map: 'queue', cells: 6, islands: 1, cap: 12, archive: 4, siblings: 2, keepInitial: true },
    selection: { kind: 'puct', pool: 'population' },
    embedding: { model: 'offline', dimensions: 64, threshold: 0.9999 },
  },
  // No archive of cells; OpenEvolve's weighted rest of the mixture.
  plain: {
    population: { map: 'none', islands: 2, cap: 10, archive: 3, eviction: 'protect-elites' },
    selection: { kind: 'mixture', rest: 'weighted', exploration: 0.2, exploitation: 0.3 },
    migration: { style: 'once', topology: 'complete', unit: 'steps', interval: 1, rate: 1 },
  },
  distances: {
    population: { map: 'grid', islands: 2, cap: 30, archive: 5, bins: 4, features: ['score', 'embedding'] },
    embedding: { model: 'offline', dimensions: 64 },
  },
};

describe('the population', () => {
  /** A kill disturbs other files. */
  const live = FULL ? liveHome('population') : sharedHome();

  /** Archives alone are folded in memory (test/evolution/population/archives-in-runs.test.ts). */
  it.each(Object.keys(KINDS).filter((kind) => FULL || !['queue', 'plain'].includes(kind)))(
    `%s: a run${FULL ? ', through a kill of the worker' : ''}, whole, unique, rebuilt without a difference`,
    async (kind) => {
      await live.engine.start(kind, { ...BASE, ...KINDS[kind]! });
      if (FULL) {
        await live.engine.seen(kind, 'its second step', ({ committedStep }) => committedStep >= 2, 120_000);
        await live.home.kill('worker');
      }
      const run = await live.engine.ended(kind, 240_000);
      expect(run).toMatchObject({ status: 'finished', stopReason: 'steps', committedStep: 4 });
      await expectWhole(live.engine.store, kind, { steps: 4, perStep: 8 });

      const population = await live.engine.store.population(kind);
      const alive = await live.engine.store.getPrograms([...population.members.keys()]);
      expect(new Set([...alive.values()].map(({ normHash }) => normHash)).size).toBe(population.state.size);
      const islands = await live.home.json(['islands', kind]);
      expect(islands.islands.map((one: { members: number }) => one.members)).toEqual(
        population.islands.map(({ byBirth }) => byBirth.length),
      );
      expect(islands.noCell).toEqual(population.state.noCell ?? {});
    },
  );

  it('seed programs are roots made of the initial program, and see no other; later prompts show whom the settings ask for', async () => {
    const documents = await live.engine.store.getPrompts(
      Array.from({ length: 4 }, (_, index) => index + 1).flatMap((step) =>
        Array.from({ length: 4 }, (__, group) => promptId('tessellation', step, 0, group)),
      ),
    );
    const prompts = [...documents.values()];
    const initial = prompts.find(({ step }) => step === 1)!.parent;
    for (const { parent, context } of prompts.filter(({ founding }) => founding))
      expect({ parent, context }).toEqual({ parent: initial, context: undefined });
    expect(prompts.filter(({ step }) => step === 1).every(({ founding }) => founding)).toBe(true);
    const roles = new Set(prompts.flatMap(({ context }) => context ?? []).map(({ role }) => role));
    expect(roles).toContain('inspiration');
    for (const prompt of prompts) expect(prompt.context?.map(({ id }) => id) ?? []).not.toContain(prompt.parent);

    const programs = await live.home.programs('tessellation');
    const founded = await live.home.json(['show', programs[0].id]);
    expect(founded).toMatchObject({ founder: true, parents: [], shownBeside: [] });
    const elites = [...(await live.engine.store.getPrompts([promptId('quantiles', 4, 0, 0)])).values()][0]!;
    expect(elites.context!.filter(({ role }) => role === 'elite')).toHaveLength(2);
    const [user] = [...(await live.engine.store.getTexts([elites.user])).values()];
    expect(user).toContain(', one of the best');
  });

  it('embeddings are stored once, paid for and counted', async () => {
    const { totals } = await live.engine.document('distances');
    const programs = await live.home.programs('distances');
    const embedded = await live.engine.store.getEmbeddings(programs.map(({ id }) => id));
    expect(embedded.size).toBeGreaterThan(5);
    const rollouts = await live.engine.store.getRollouts(programs.map(({ id }) => id));
    const [initial] = await live.engine.store
      .getEmbeddings([programs[0].id.replace(/:\d+:\d+:\d+$/, ':000000:0:000000')])
      .then((found) => [...found.values()]);
    const tokens =
      [...embedded.values(), initial!].reduce((sum, one) => sum + one.tokens, 0) +
      [...rollouts.values()].reduce((sum, { usage }) => sum + usage.in, 0);
    expect(totals.tokens.in).toBe(tokens);
  });

  it('status says how many added lines came back', async () => {
    const { lines } = await live.home.json(['status', 'quantiles']);
    expect(lines.added).toBeGreaterThan(0);
    expect(lines.reintroduced).toBeLessThanOrEqual(lines.added);
  });
});
