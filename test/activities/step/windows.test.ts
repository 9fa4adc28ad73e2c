// Islands that do not wait for each other between migrations (CodeEvolve 16 to 18), a scripted
// model in place of a language model.
import { describe, expect, it, vi } from 'vitest';
import { rebuildRun } from '../../../activities/rebuild/rebuild.ts';
import { shippedTask } from '../../support/domain/shipped-tasks.ts';
import { rowsOf } from '../../../evolution/population/population.ts';
import { rng } from '../../../evolution/rng.ts';
import { codeWorld, messagesOf, plansOf, programsOf, run } from '../../support/worlds/code-world.ts';
import { playWindows, type Turn } from '../../support/worlds/window-world.ts';

/** Two windows and the beginning of a third. */
const STEPS = 7;
const clean = { differences: [], differenceCount: 0 };
const score = (code: string): number | null => {
  const value = Number(/middle_x = 0\.(\d+)/.exec(code)![1]);
  return value % 4 === 0 ? null : value / 1e6;
};
const settings = (more: object = {}, population: object = {}) => ({
  batch: 3,
  migration: { interval: 3 },
  exploration: { start: 0.5, min: 0.4, max: 0.6 },
  ...more,
  population: { islands: 3, initialisation: 2, ...population },
});
const repair = ({ seed }: { readonly seed: number }): string =>
  ['#DELTA-SUMMARY-START', `FROM: before ${seed}`, `TO: idea ${seed}`, '#DELTA-SUMMARY-END'].join('\n');
const world = (of: object) => codeWorld(of, { score, repair });

const atRandom = (seed: number): Turn => {
  const random = rng(seed, 'turn');
  return (can) => random.pick(can);
};
/** The island goes on only when nobody else can. */
const delaying =
  (slow: number): Turn =>
  (can) =>
    can.find((one) => one !== slow && one !== -1) ?? (can.includes(-1) ? -1 : slow);

type World = ReturnType<typeof codeWorld>;
const everything = async ({ store, asked }: World) => {
  const plans = await plansOf(store, STEPS, 3);
  return {
    programs: await programsOf(store),
    plans,
    rows: rowsOf(await store.population(run)),
    state: (await store.population(run)).state,
    totals: (await store.readRun(run))!.totals,
    best: (await store.readRun(run))!.best,
    messages: await Promise.all(plans.map((plan) => messagesOf(store, plan))),
    asked: asked.map(({ messages, seed }) => JSON.stringify([messages, seed])).sort(),
  };
};

const played = async (of: object, turn: Turn, more: object = {}) => {
  const it = world(of);
  await it.open();
  const windows = await playWindows(it, of, { steps: STEPS, turn, ...more });
  return { it, windows };
};

describe('islands between migrations', async () => {
  const epochs = world(settings({}, { islandSync: 'epoch' }));
  await epochs.play(STEPS);
  const expected = await everything(epochs);

  it('CodeEvolve 17: islandSync migration and epoch give identical programs, prompts, requests and populations', async () => {
    const { it, windows } = await played(settings(), atRandom(1));
    expect(windows).toEqual([
      [0, 0],
      [1, 3],
      [4, 6],
      [7, 7],
    ]);
    expect(await everything(it)).toEqual(expected);
    expect(
      expected.programs.some(
        ({ island, parents: [parent] }) =>
          parent !== undefined && expected.programs.find(({ _id }) => _id === parent)!.island !== island,
      ),
    ).toBe(true);
    expect(await rebuildRun({ store: it.store, loadTask: shippedTask }, run)).toMatchObject({
      steps: STEPS + 1,
      ...clean,
    });
  });

  it.each([0, 1, 2])(
    "CodeEvolve 17: delaying island %i changes nothing, and the others reach the window's end without it",
    async (slow) => {
      let ahead = 0;
      const { it } = await played(settings(), (can, reached) => {
        const island = delaying(slow)(can, reached);
        if (island === slow) ahead = Math.max(ahead, Math.max(...reached) - reached[slow]!);
        return island;
      });
      expect(ahead).toBe(3);
      expect(await everything(it)).toEqual(expected);
    },
  );

  it('CodeEvolve 16: migration in any arrival order gives the same islands', async () => {
    const { it } = await played(settings(), atRandom(2));
    expect(await everything(it)).toEqual(expected);
  });

  it("CodeEvolve 18: a killed island resumes without touching others' results; repeated activities change nothing, and nothing is asked twice", async () => {
    for (const killedAfter of [4, 11]) {
      const it = world(settings());
      await it.open();
      expect(
        (await playWindows(it, settings(), { steps: STEPS, turn: delaying(killedAfter % 3), killedAfter })).at(-1),
      ).toBe(null);
      const before = await programsOf(it.store);
      await playWindows(it, settings(), {
        steps: STEPS,
        turn: atRandom(killedAfter),
        twice: true,
        owner: killedAfter % 2 === 0 ? 'first' : 'second',
      });
      const after = await everything(it);
      expect(after.programs.slice(0, before.length)).toEqual(before);
      expect(after.asked).toEqual(expected.asked);
      // Another owner's commits carry another generation.
      const plain = ({ programs, ...rest }: typeof after) => ({
        ...rest,
        programs: programs.map(({ generation: _, ...program }) => program),
      });
      expect(plain(after)).toEqual(plain(expected));
    }
  });
});

describe('property 17 for other settings: identical in any order of arrival', () => {
  it.each([
    ['two groups an island, two responses', { batch: 6, responses: 2 }, {}, 3],
    [
      'a grid scaled by each island, everybody of an island a parent',
      { selection: { kind: 'tournament', pool: 'island' } },
      { map: 'grid', bins: 5, features: ['score', 'length'] },
      3,
    ],
    [
      'bounds of the run, all fixed',
      {},
      {
        bounds: 'run',
        features: [
          { name: 'score', min: 0, max: 1 },
          { name: 'length', min: 0, max: 9_000 },
        ],
      },
      3,
    ],
    ['a queue, parents by fitness', { selection: { kind: 'roulette' } }, { map: 'queue', cells: 5 }, 3],
    [
      'no map, prompts by policy, a cosine',
      { selection: { pool: 'island' }, exploration: { schedule: 'cosine', period: 4, exploitPrompt: 'policy' } },
      { map: 'none', islandCap: null },
      3,
    ],
    ['top migrates along a star', { migration: { style: 'top', topology: 'star', interval: 2 } }, {}, 4],
    ['no migration: one window', { migration: { topology: 'none' } }, {}, 1],
    [
      'no operators, prior programs, elites and diverse ones',
      { exploration: { schedule: 'none', metaPrompt: false }, prompt: { priorPrograms: 2, elites: 1, diverse: 1 } },
      {},
      3,
    ],
    [
      "DeltaEvolve's context, uninitialised",
      { prompt: { style: 'delta', elites: 2, diverse: 1 }, exploration: { schedule: 'none', metaPrompt: false } },
      { initialisation: 1 },
      3,
    ],
    [
      'near-duplicates on an island, by embeddings',
      { embedding: { model: 'e', baseUrl: 'http://127.0.0.1:9/v1', scope: 'island', threshold: 0.99 } },
      {},
      3,
    ],
    [
      'deltas that were left out are asked for',
      {
        prompt: { style: 'delta', elites: 2, diverse: 1 },
        delta: { missing: 'repair' },
        exploration: { schedule: 'none', metaPrompt: false },
      },
      { initialisation: 1 },
      3,
    ],
    [
      'failures in the population',
      { selection: { pool: 'island' } },
      { map: 'none', islandCap: null, admitFailures: true },
      3,
    ],
  ])('%s', async (_, more, population, windows) => {
    const of = settings(more, population);
    const epochs = world(settings(more, { ...population, islandSync: 'epoch' }));
    await epochs.play(STEPS);
    const { it: apart, windows: made } = await played(of, atRandom(7));
    const programs = await programsOf(apart.store);
    // The settings show: else equal runs would say nothing.
    const embeddings = [...(await apart.store.getEmbeddings(programs.map(({ _id }) => _id))).values()];
    expect(embeddings.some(({ duplicate }) => duplicate)).toBe('embedding' in more);
    if ('delta' in more) expect(programs.some(({ change }) => change?.repair?.outcome === 'repaired')).toBe(true);
    expect(made).toHaveLength(1 + windows);
    expect(await everything(apart)).toEqual(await everything(epochs));
    expect(await rebuildRun({ store: apart.store, loadTask: shippedTask }, run)).toMatchObject({
      steps: STEPS + 1,
      ...clean,
    });
  });

  it.each([
    ['selection.kind', { selection: { kind: 'mixture' } }, {}],
    ['prompt.bestEver', { prompt: { bestEver: true } }, {}],
    ['diff.lazyScope', { diff: { lazyScope: 'history' } }, {}],
    ['population.bounds', {}, { bounds: 'run' }],
    ['population.cap', {}, { cap: 10, archive: 5, initialisation: 1 }],
    ['population.siblings', {}, { siblings: 1 }],
  ])('islands that %s ties together wait for each other, as soon as it does', async (_, more, population) => {
    const { it: apart, windows } = await played(settings(more, population), atRandom(8));
    const epochs = world(settings(more, { ...population, islandSync: 'epoch' }));
    await epochs.play(STEPS);
    expect(windows.slice(-3)).toEqual([5, 6, 7].map((step) => [step, step]));
    expect(await everything(apart)).toEqual(await everything(epochs));
  });
});

describe('programs that people put in', () => {
  it('begin a window: each is there for what its own island does next, and for nobody else until the migration', async () => {
    const both = [settings(), settings({}, { islandSync: 'epoch' })].map(async (of) => {
      const it = world(of);
      await it.open();
      await it.step(0);
      for (const [island, value] of [
        [1, '0.999996'],
        [2, '0.999992'],
        [1, '0.999988'],
      ] as const) {
        await it.call(it.activities.injectProgram, { run, island, program: `middle_x = ${value}\n` });
        // Programs of one millisecond are taken in the order of their keys, others in that in which they came.
        const now = Date.now();
        await vi.waitUntil(() => Date.now() > now, { interval: 1 });
      }
      const windows = await playWindows(it, of, { steps: STEPS, turn: atRandom(5) });
      expect(await rebuildRun({ store: it.store, loadTask: shippedTask }, run)).toMatchObject(clean);
      return { windows, made: await everything(it) };
    });
    const [apart, together] = await Promise.all(both);
    expect(apart!.windows[0]).toEqual([1, 3]);
    expect(together!.windows[0]).toEqual([1, 1]);
    expect(apart!.made).toEqual(together!.made);
    expect(apart!.made.programs.filter(({ step, slot }) => step === 1 && slot >= 3)).toHaveLength(3);
  });
});

describe('a window that is cut short', () => {
  const five = settings({ migration: { interval: 5 } });
  const cut = async (killedAfter: number) => {
    const it = world(five);
    await it.open();
    await playWindows(it, five, { steps: STEPS, turn: delaying(1), killedAfter });
    return it;
  };

  it('asked afresh, all that islands ahead were answered is set aside, and counted as paid', async () => {
    const it = await cut(9);
    const answered = it.asked.length;
    await it.call(it.activities.resample, { run, step: 1, by: 'test' });
    const { setAside, epochs } = (await it.store.readRun(run))!;
    expect(setAside.map(({ step, epoch }) => [step, epoch])).toEqual([1, 2, 3, 4, 5].map((step) => [step, 0]));
    const paid = setAside.reduce((sum, { tokens }) => sum + tokens.in + tokens.out, 0);
    expect([paid, epochs.at(-1)]).toEqual([16 * answered, { step: 1, epoch: 1, by: 'test' }]);
    await playWindows(it, five, { steps: STEPS, turn: atRandom(1) });
    expect(await rebuildRun({ store: it.store, loadTask: shippedTask }, run)).toMatchObject({
      steps: STEPS + 1,
      ...clean,
    });
  });

  it('goes on under the settings that it was planned with, as far as an island had come; the new ones hold from there on', async () => {
    const it = await cut(3);
    await it.call(it.activities.changeSettings, {
      run,
      change: { kind: 'set', patch: { diff: { maxCodeChars: 40_000 } } },
    });
    const windows = await playWindows(it, five, { steps: STEPS, turn: atRandom(2), owner: 'second' });
    expect(windows.slice(0, 3)).toEqual([
      [1, 3],
      [4, 5],
      [6, 7],
    ]);
    const versions: number[] = [];
    for await (const { configVersion } of it.store.eachStep(run, 1)) versions.push(configVersion);
    expect(versions.slice(0, 5)).toEqual([1, 1, 1, 2, 2]);
    expect(await rebuildRun({ store: it.store, loadTask: shippedTask }, run)).toMatchObject({
      steps: STEPS + 1,
      ...clean,
    });
  });

  it('a program that a person puts in is there for all that its island does after it', async () => {
    const it = await cut(0);
    await it.call(it.activities.injectProgram, { run, island: 1, program: 'middle_x = 0.999999\n' });
    const windows = await playWindows(it, five, { steps: STEPS, turn: atRandom(3) });
    expect(windows.slice(0, 2)).toEqual([
      [1, 5],
      [6, 7],
    ]);
    expect(await rebuildRun({ store: it.store, loadTask: shippedTask }, run)).toMatchObject({
      steps: STEPS + 1,
      ...clean,
    });
  });

  it('after a rewind the step that took a program takes it again, and begins a window', async () => {
    const it = world(five);
    await it.open();
    await playWindows(it, five, { steps: 7, turn: atRandom(4) });
    await it.call(it.activities.injectProgram, { run, island: 1, program: 'middle_x = 0.999999\n' });
    await playWindows(it, five, { steps: 9, turn: atRandom(4) });
    await it.call(it.activities.openRun, { run, owner: 'second', rewind: { toStep: 6, resample: false } });
    const windows = await playWindows(it, five, { steps: 9, turn: atRandom(4), owner: 'second' });
    expect(windows).toEqual([
      [6, 7],
      [8, 9],
    ]);
    expect((await programsOf(it.store)).filter(({ step, slot }) => step === 8 && slot >= 3)).toHaveLength(1);
    expect(await rebuildRun({ store: it.store, loadTask: shippedTask }, run)).toMatchObject({ steps: 10, ...clean });
  });

  it('what an execution plans that the run has left behind is refused', async () => {
    const it = await cut(4);
    await it.call(it.activities.planStep, { run, step: 1, owner: 'second', window: { steps: 5, programs: null } });
    await expect(
      it.call(it.activities.planIsland, { run, step: 5, epoch: 0, version: 1, generation: 1, island: 2 }),
    ).rejects.toThrow('belongs to generation 1');
  });
});
