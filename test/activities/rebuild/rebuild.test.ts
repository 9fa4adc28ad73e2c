// A rebuild finds no difference in what activities made, whatever was steered, and finds each thing that is damaged.
import { describe, expect, it } from 'vitest';
import { rebuildRun } from '../../../activities/rebuild/rebuild.ts';
import type { ProgramDocument } from '../../../activities/store/documents/step-documents.ts';
import type { Store } from '../../../activities/store/store.ts';
import { shippedTask } from '../../support/domain/shipped-tasks.ts';
import { programId } from '../../../evolution/ids.ts';
import { applyChangeSet, loadPopulation, rowsOf } from '../../../evolution/population/population.ts';
import { run, world } from '../../support/worlds/world.ts';
import { collect } from '../store/fixtures.ts';

type World = ReturnType<typeof world>;
const everything = (store: Store, of = run): Promise<readonly unknown[]> => collect(store.exportRun(of));
const grown = async (population?: object, steps = 2): Promise<World> => {
  const made = world(population);
  await made.open();
  for (let step = 0; step <= steps; step++) await made.step(step, false);
  return made;
};
const clean = { differences: [], differenceCount: 0 };

describe('a rebuild', () => {
  it.each(['parent', 'current'])('finds no difference and writes nothing, with childIsland %s', async (childIsland) => {
    const { store } = await grown({ childIsland, islands: 3 });
    const before = await everything(store);
    expect(await rebuildRun({ store, loadTask: shippedTask }, run)).toMatchObject({
      run,
      steps: 3,
      programs: 25,
      ...clean,
    });
    expect(await rebuildRun({ store }, run)).toMatchObject({ steps: 3, ...clean });
    expect(await everything(store)).toEqual(before);
  });

  it('finds none in a run that was steered: settings, injected programs, a budget, resampling and rewinds', async () => {
    const made = await grown({ islands: 2, archive: 8, cap: 20 });
    const { store, step, call, activities } = made;
    await call(activities.changeSettings, {
      run,
      change: {
        kind: 'set',
        patch: {
          batch: 3,
          population: { archive: 1, cap: 2, childIsland: 'current' },
          selection: { kind: 'rank', pool: 'archive' },
          migration: { topology: 'star-out', interval: 2 },
        },
      },
    });
    for (const island of [0, 1])
      await call(activities.injectProgram, { run, island, program: `# by a person\nprint(${island})\n` });
    await step(3, false);
    await step(4, true, 1);
    await call(activities.resample, { run, step: 5, by: 'x' });
    await step(5, false);
    const all = { steps: 6, programs: 1 + 12 + 12 + 20 + 12 + 18, ...clean };
    expect(await rebuildRun({ store, loadTask: shippedTask }, run)).toMatchObject(all);
    await call(activities.openRun, { run, owner: 'second', rewind: { toStep: 2, resample: false } });
    expect(await rebuildRun({ store, loadTask: shippedTask }, run)).toMatchObject({ steps: 2, ...clean });
    for (let n = 2; n <= 5; n++) await step(n, false, n === 4 ? 1 : 0, 'second');
    expect(await rebuildRun({ store, loadTask: shippedTask }, run)).toMatchObject(all);
    await call(activities.openRun, { run, owner: 'third', rewind: { toStep: 4, resample: true } });
    await step(4, false, 0, 'third');
    expect(await rebuildRun({ store, loadTask: shippedTask }, run)).toMatchObject({
      steps: 5,
      programs: 1 + 12 + 12 + 20 + 18,
      ...clean,
    });
  });

  it('counts stagnant steps again as they were counted, from where a limit asks for them', async () => {
    const made = world({ islands: 2 });
    const { store, step, call, activities } = made;
    await made.open({ stagnantEpochs: 50 });
    for (let n = 0; n <= 3; n++) await step(n, false);
    const counted = async (): Promise<unknown> => (await store.readRun(run))!.totals.stagnantEpochs;
    const limited = async (stagnantEpochs: number | null): Promise<unknown> =>
      call(activities.changeSettings, { run, change: { kind: 'set', patch: { limits: { stagnantEpochs } } } });
    expect(await counted()).toBeGreaterThan(0);
    expect(await rebuildRun({ store, loadTask: shippedTask }, run)).toMatchObject({ steps: 4, ...clean });
    await limited(null);
    await step(4, false);
    expect(await counted()).toBeUndefined();
    await limited(9);
    await step(5, false);
    expect(await counted()).toBeLessThan(2);
    expect(await rebuildRun({ store, loadTask: shippedTask }, run)).toMatchObject({ steps: 6, ...clean });
  });

  it('finds none in a fork, whatever its parent does afterwards, nor in one that is rewound to before it began', async () => {
    const made = await grown({ islands: 3 }, 3);
    const { store, step, call, activities } = made;
    const config = { ...(await store.readConfig(run, 1)), seed: 99 };
    await store.createFork({ run: 'fork', from: run, step: 2, config, createdAt: new Date() });
    expect(await rebuildRun({ store, loadTask: shippedTask }, 'fork')).toMatchObject({
      steps: 3,
      programs: 25,
      ...clean,
    });
    await made.stepOf(3, { of: 'fork', owner: 'f' });
    await call(activities.changeSettings, { run, change: { kind: 'set', patch: { population: { archive: 1 } } } });
    await call(activities.openRun, { run, owner: 'second', rewind: { toStep: 1, resample: false } });
    await call(activities.injectProgram, { run, island: 1, program: '# by a person\nprint()\n' });
    await step(1, false, 0, 'second');
    await call(activities.openRun, { run, owner: 'third', rewind: { toStep: 1, resample: true } });
    await step(1, false, 0, 'third');
    expect(await rebuildRun({ store, loadTask: shippedTask }, run)).toMatchObject({ steps: 2, ...clean });
    expect(await rebuildRun({ store, loadTask: shippedTask }, 'fork')).toMatchObject({
      steps: 4,
      programs: 37,
      ...clean,
    });
    await call(activities.openRun, { run: 'fork', owner: 'g', rewind: { toStep: 2, resample: false } });
    await made.stepOf(2, { of: 'fork', owner: 'g' });
    expect(await rebuildRun({ store, loadTask: shippedTask }, 'fork')).toMatchObject({
      steps: 3,
      programs: 25,
      ...clean,
    });
  });

  it('follows a run that goes on meanwhile, and begins again when it is rewound', async () => {
    for (const meanwhile of ['commit', 'rewind']) {
      const { store, step, call, activities } = await grown();
      let todo = true;
      const busy: Store = {
        ...store,
        async population(of) {
          if (todo) {
            todo = false;
            if (meanwhile === 'commit') await step(3, false);
            else await call(activities.openRun, { run, owner: 'second', rewind: { toStep: 1, resample: false } });
          }
          return store.population(of);
        },
      };
      expect(await rebuildRun({ store: busy }, run)).toMatchObject({ steps: meanwhile === 'commit' ? 4 : 1, ...clean });
    }
  });

  it('names each thing that is damaged', async () => {
    const { store } = await grown({ islands: 3 });
    const victim = programId(run, 1, 0, (await validSlots(store))[0]!);
    const changing = (change: (program: ProgramDocument) => ProgramDocument | null): Partial<Store> => ({
      getPrograms: async (ids) =>
        new Map(
          [...(await store.getPrograms(ids))].flatMap(([id, program]) => {
            const changed = id === victim ? change(program) : program;
            return changed === null ? [] : [[id, changed] as const];
          }),
        ),
    });
    const damages: readonly (readonly [what: string, damage: Partial<Store>])[] = [
      [`program ${victim}`, changing(() => null)],
      [`place of program ${victim}`, changing((program) => ({ ...program, bornSeq: 7 }))],
      [`evaluation of program ${victim}`, changing((program) => ({ ...program, score: 99 }))],
      [`fitness of program ${victim}`, changing((program) => ({ ...program, fit: -program.fit! }))],
      ['insertion', changing(({ fit: _, ...program }) => program)],
      [`program ${victim}, never evaluated`, changing((program) => ({ ...program, evaluation: null }))],
      [`evaluation of program ${victim}`, { getEvaluations: async () => new Map() }],
      [`response of program ${victim}`, { getRollouts: async () => new Map() }],
      [
        'totals of the run',
        {
          readRun: async (of) => ({
            ...(await store.readRun(of))!,
            totals: { ...(await store.readRun(of))!.totals, programs: 3 },
          }),
        },
      ],
      [
        'totals of the run: costUsd',
        {
          readRun: async (of) => ({
            ...(await store.readRun(of))!,
            totals: { ...(await store.readRun(of))!.totals, costUsd: 1 },
          }),
        },
      ],
      ['best program of the run', { readRun: async (of) => ({ ...(await store.readRun(of))!, best: null }) }],
      [
        'memberships and archive members of the run',
        { population: async (of) => without(await store.population(of), victim) },
      ],
      [
        'change set: add',
        {
          async *eachCommitted(of, from) {
            for await (const step of store.eachCommitted(of, from))
              yield { ...step, changeSet: { ...step.changeSet, add: step.changeSet.add.slice(1) } };
          },
        },
      ],
      [
        'fingerprint of the rows',
        {
          async *eachCommitted(of, from) {
            for await (const step of store.eachCommitted(of, from)) yield { ...step, fingerprint: '0:0' };
          },
        },
      ],
    ];
    for (const [what, damage] of damages) {
      const { differences, differenceCount } = await rebuildRun(
        { store: { ...store, ...damage }, loadTask: shippedTask },
        run,
      );
      expect(differences.map((one) => one.what)).toContain(what);
      expect(differenceCount).toBeGreaterThanOrEqual(differences.length);
    }
  });

  it('keeps the first fifty differences, shows where each begins, and counts all', async () => {
    const { store } = await grown(undefined, 3);
    const nothing: Store = { ...store, getPrograms: async () => new Map() };
    const { differences, differenceCount, programs } = await rebuildRun({ store: nothing }, run);
    expect([differences.length, programs]).toEqual([50, 37]);
    expect(differenceCount).toBeGreaterThan(50);
    expect(differences[0]).toEqual({
      step: 0,
      what: `program ${programId(run, 0, 0, 0)}`,
      expected: '"there once"',
      found: '"missing"',
    });
    for (const { expected, found } of differences) expect(Math.max(expected.length, found.length)).toBeLessThan(180);
  });

  it('says when there is no such run', async () => {
    await expect(rebuildRun({ store: world().store }, 'nobody')).rejects.toThrow(/'nobody'.*evolve list/);
  });
});

const validSlots = async (store: Store): Promise<readonly number[]> => {
  const slots: number[] = [];
  for await (const program of store.eachProgram(run, { fromStep: 1 })) {
    if (program.step === 1 && program.outcome === 'valid' && program.sameAs === undefined && program.fit !== 0)
      slots.push(program.slot);
  }
  return slots;
};

/** The same population without a program. */
const without = (population: Awaited<ReturnType<Store['population']>>, id: string) => {
  const { memberships, cells } = rowsOf(population);
  const copy = loadPopulation(population.settings, memberships, cells, population.state);
  return applyChangeSet(copy, {
    step: 9,
    add: [],
    remove: memberships.filter((row) => row.id === id).map(({ island }) => ({ island, id })),
    cells: cells
      .filter(({ program }) => program === id)
      .map(({ island, cell }) => ({ island, cell, program: null, fit: 0 })),
    evicted: [id],
    migrated: [],
    state: population.state,
  });
};
