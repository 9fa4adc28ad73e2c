// The contract of the store, second half: what steering a run asks of it (versions of settings, epochs, rewinds,
// forks, injections, sweeps).
import { describe, expect, it } from 'vitest';
import type { InjectionDocument, SweepDocument } from '../../../../activities/store/documents/documents.ts';
import { SupersededError } from '../../../../activities/store/documents/errors.ts';
import { storeOver } from '../../../../activities/store/open-store.ts';
import { paidSoFar } from '../../../../activities/store/steps/paid.ts';
import type { Store } from '../../../../activities/store/store.ts';
import { programId } from '../../../../evolution/ids.ts';
import { rowsOf } from '../../../../evolution/population/population.ts';
import type { Backend } from '../contract.ts';
import { faulty, isFailing } from '../faulty-collections.ts';
import {
  changeSet,
  collect,
  commitOf,
  config,
  forkCommitOf,
  grow,
  markAction,
  newRun,
  normHash,
  program,
  prompt,
  rollout,
  SLOTS,
  totals,
} from '../fixtures.ts';

export type World = { readonly backend: () => Backend; readonly store: () => Store; readonly freshRun: () => string };

export const steeringContract = (world: World): void => {
  const { freshRun } = world;
  /** The store of another process, without a cache. */
  const restarted = (): Store => storeOver(world.backend().collections);
  const crashing = (atWrite: number): Store => storeOver(faulty(world.backend().collections, atWrite).collections);
  const store = (): Store => world.store();
  const rows = async (run: string, from = restarted()) => rowsOf(await from.population(run));
  const liveIds = async (run: string): Promise<string[]> =>
    (await collect(restarted().eachProgram(run))).map(({ _id }) => _id);
  const slots = Array.from({ length: SLOTS }, (_, slot) => slot);
  const plan = async (run: string, step: number, owner: string, epoch = 0, answers = SLOTS): Promise<number> => {
    const generation = await store().openStep(run, step, owner);
    await store().putPrompts([0, 1].map((group) => prompt(run, step, group, 'plateau', epoch)));
    await store().putRollouts(slots.slice(0, answers).map((slot) => rollout(run, step, slot, 'offline', epoch)));
    return generation;
  };
  const paidFor = (step: number, epoch = 0, answers = SLOTS) => ({
    step,
    epoch,
    programs: answers,
    tokens: { in: 100 * answers, out: 20 * answers },
    costUsd: 0,
  });

  describe('settings by version', () => {
    it('stay readable, the newest and those that were replaced', async () => {
      const run = freshRun();
      await store().createRun(newRun(run));
      expect(await store().readConfig(run, 1)).toEqual(config());
      for (const seed of [2, 3]) await restarted().setConfig(run, { ...config(), seed }, seed - 1);
      for (const reader of [store(), restarted()]) {
        expect(
          (await Promise.all([1, 2, 3, 1].map((version) => reader.readConfig(run, version)))).map(({ seed }) => seed),
        ).toEqual([42, 2, 3, 42]);
        await expect(reader.readConfig(run, 4)).rejects.toThrow(
          `'${run}' from version 1 to 3, its newest, but version 4`,
        );
      }
      await store().setConfig(run, { ...config(), seed: 4 }, 3);
      expect((await store().readConfig(run, 4)).seed).toBe(4);
      await expect(store().readConfig(`${run}-x`, 1)).rejects.toThrow(/evolve list/);
    });

    it('are named by each committed step, which also says when it was first prepared', async () => {
      const run = freshRun();
      const began = Date.now();
      await grow(store(), run, 1);
      await store().setConfig(run, { ...config(), seed: 2 }, 1);
      await crashing(4)
        .commit({ ...commitOf(run, 2, 1), configVersion: 2 })
        .catch(() => {});
      const prepared = (await store().readStep(run, 2, 1))!;
      expect([prepared.state, prepared.configVersion]).toEqual(['prepared', 2]);
      expect(prepared.at.getTime()).toBeGreaterThanOrEqual(began);
      await new Promise((later) => setTimeout(later, 5));
      await store().commit({ ...commitOf(run, 2, 1), configVersion: 2 });
      const steps = await collect(restarted().eachStep(run));
      expect(steps.map(({ step, state, configVersion }) => [step, state, configVersion])).toEqual([
        [0, 'committed', 1],
        [1, 'committed', 1],
        [2, 'committed', 2],
      ]);
      expect(steps[2]!.at).toEqual(prepared.at);
    });
  });

  describe('reading steps', () => {
    it('gives the committed ones in order, with what each did, and apart from them those that were rewound', async () => {
      const run = freshRun();
      await grow(store(), run, 4);
      await store().openStep(run, 3, 'rewind');
      await store().commit(commitOf(run, 3, 2));
      await store().openStep(run, 2, 'again');
      await crashing(4)
        .commit(commitOf(run, 2, 3))
        .catch(() => {});
      await store().openStep(run, 2, 'third'); // what generation 3 prepared was never committed
      expect((await collect(restarted().eachStep(run))).map(({ step, generation }) => [step, generation])).toEqual([
        [0, 1],
        [1, 1],
      ]);
      expect(
        (await restarted().supersededSteps(run)).map(({ step, generation, state }) => [generation, step, state]),
      ).toEqual([
        [1, 2, 'superseded'],
        [1, 3, 'superseded'],
        [1, 4, 'superseded'],
        [2, 3, 'superseded'],
      ]);
      await store().commit(commitOf(run, 2, 4));
      expect((await collect(restarted().eachStep(run, 1))).map(({ step, generation }) => [step, generation])).toEqual([
        [1, 1],
        [2, 4],
      ]);
      const committed = await collect(restarted().eachCommitted(run, 1));
      expect(committed.map(({ changeSet: change }) => change)).toEqual([changeSet(run, 1), changeSet(run, 2)]);
      expect(committed.map(({ programs }) => programs)).toEqual(
        [1, 2].map((step) => slots.map((slot) => programId(run, step, 0, slot))),
      );
    });
  });

  describe('opening steps', () => {
    it('gives an owner what it was given then, also after later steps and after another superseded it', async () => {
      const run = freshRun();
      await store().createRun(newRun(run));
      for (let step = 0; step <= 3; step++)
        await store().commit(commitOf(run, step, await store().openStep(run, step, 'a')));
      expect(await store().openStep(run, 2, 'b')).toBe(2);
      for (const step of [0, 3, 1, 2]) expect(await restarted().openStep(run, step, 'a')).toBe(1);
      await store().commit(commitOf(run, 2, 2));
      expect(await store().openStep(run, 3, 'b')).toBe(2);
      expect([await restarted().openStep(run, 2, 'b'), await restarted().openStep(run, 3, 'a')]).toEqual([2, 1]);
      await expect(store().commit(commitOf(run, 3, 1))).rejects.toThrow(SupersededError);
      expect(await store().readRun(run)).toMatchObject({ committedStep: 2, generation: 2 });
    });

    it('above the next step does not part the next step from its generation', async () => {
      const run = freshRun();
      await grow(store(), run, 1);
      await store().openStep(run, 4, 'zombie');
      expect(await store().openStep(run, 4, 'other zombie')).toBe(2);
      const generation = await store().openStep(run, 2, 'w');
      await store().commit(commitOf(run, 2, generation));
      expect((await collect(restarted().eachStep(run))).map(({ step }) => step)).toEqual([0, 1, 2]);
      expect(rowsOf(await restarted().population(run))).toEqual(rowsOf(await store().population(run)));
    });
  });

  describe('epochs', () => {
    it('begin at a step, rise for ever, and hold from there whatever was asked before', async () => {
      const run = freshRun();
      await grow(store(), run, 1);
      const epochs = () => Promise.all([1, 2, 3, 4, 5, 9].map((step) => restarted().epochOf(run, step)));
      expect(await epochs()).toEqual([0, 0, 0, 0, 0, 0]);
      expect(await store().resample(run, 5, 'x')).toBe(1);
      expect(await epochs()).toEqual([0, 0, 0, 0, 1, 1]);
      expect(await store().resample(run, 3, 'y')).toBe(2);
      expect(await epochs()).toEqual([0, 0, 2, 2, 2, 2]);
      expect(await store().resample(run, 4, 'z')).toBe(3);
      expect(await epochs()).toEqual([0, 0, 2, 3, 3, 3]);
      const before = await store().readRun(run);
      expect(await Promise.all(['x', 'y', 'z'].map((by) => restarted().resample(run, 3, by)))).toEqual([1, 2, 3]);
      expect(await store().readRun(run)).toEqual(before);
      await expect(store().resample(run, 1, 'late')).rejects.toThrow(/after 1, the last committed one of run .*rewind/);
      expect(await store().readRun(run)).toEqual(before);
    });

    it('are one each when many ask at once', async () => {
      const run = freshRun();
      await grow(store(), run, 0);
      const asked = ['a', 'b', 'a', 'c', 'b', 'd'];
      const given = await Promise.all(asked.map((by) => restarted().resample(run, 1, by)));
      expect(new Set(given)).toEqual(new Set([1, 2, 3, 4]));
      expect(asked.map((by) => given[asked.indexOf(by)])).toEqual(given);
      expect((await store().readRun(run))!.epochs).toHaveLength(4);
    });

    it('set what a step under way has paid for aside, and fence its attempt off', async () => {
      const run = freshRun();
      await grow(store(), run, 1);
      const generation = await plan(run, 2, 'w', 0, 3);
      expect(await store().resample(run, 2, 'x')).toBe(1);
      const document = (await store().readRun(run))!;
      expect(document.setAside).toEqual([paidFor(2, 0, 3)]);
      expect(paidSoFar(document)).toEqual({ programs: SLOTS + 3, tokens: 480 + 360, costUsd: 0 });
      await expect(store().commit(commitOf(run, 2, generation))).rejects.toThrow(SupersededError);
      const next = await store().openStep(run, 2, 'w');
      expect(next).toBe(generation + 1);
      expect(await restarted().openStep(run, 2, 'w')).toBe(next);
      await store().commit({ ...commitOf(run, 2, next, { epoch: 1 }), epoch: 1 });
      expect((await collect(restarted().eachProgram(run, { fromStep: 2 }))).map(({ epoch }) => epoch)).toEqual(
        slots.map(() => 1),
      );
      expect(paidSoFar((await store().readRun(run))!)).toMatchObject({ programs: 2 * SLOTS + 3 });
    });

    it('leave the answers to earlier openings as they were, when the step was not opened yet', async () => {
      const run = freshRun();
      await grow(store(), run, 1);
      await store().resample(run, 2, 'x');
      expect(await restarted().openStep(run, 1, 'w')).toBe(1);
      expect((await store().readStep(run, 1, 1))?.state).toBe('committed');
      expect(await store().openStep(run, 2, 'w')).toBe(2);
      expect((await store().commit(commitOf(run, 2, 2))).committedStep).toBe(2);
    });
  });

  describe('rewinding', () => {
    it('sets aside what the rewound steps cost, until they are live again', async () => {
      const run = freshRun();
      await grow(store(), run, 3);
      await plan(run, 4, 'w', 0, 1);
      const paid = async () => paidSoFar((await restarted().readRun(run))!).programs;
      await store().openStep(run, 2, 'back');
      expect((await store().readRun(run))!.setAside).toEqual([paidFor(2), paidFor(3), paidFor(4, 0, 1)]);
      expect(await paid()).toBe(3 * SLOTS + 1);
      await store().commit(commitOf(run, 2, 2));
      expect(await paid()).toBe(3 * SLOTS + 1);
      await store().openStep(run, 1, 'further');
      await store().resample(run, 1, 'further');
      expect(await paid()).toBe(3 * SLOTS + 1);
      await store().commit({ ...commitOf(run, 1, await store().openStep(run, 1, 'further'), { epoch: 1 }), epoch: 1 });
      expect(await paid()).toBe(4 * SLOTS + 1);
      expect((await store().readRun(run))!.setAside.map(({ step, epoch }) => [step, epoch]).sort()).toEqual([
        [1, 0],
        [2, 0],
        [3, 0],
        [4, 0],
      ]);
    });

    it('ends alike after a crash at any write: one entry a step, and all that was rewound can be listed', async () => {
      for (let crashAt = 1; ; crashAt++) {
        const run = freshRun();
        await grow(store(), run, 2);
        // The last commit is cut short after its commit point: its marker still says prepared.
        await crashing(5)
          .commit(commitOf(run, 3, await store().openStep(run, 3, 'w')))
          .catch(() => {});
        expect((await store().readRun(run))!.committedStep).toBe(3);
        const failed = await isFailing(crashing(crashAt).openStep(run, 2, 'back'));
        expect(await restarted().openStep(run, 2, 'back')).toBe(2);
        expect([crashAt, (await store().readRun(run))!.setAside]).toEqual([crashAt, [paidFor(2), paidFor(3)]]);
        expect([crashAt, (await restarted().supersededSteps(run)).map(({ step }) => step)]).toEqual([crashAt, [2, 3]]);
        if (!failed) {
          expect(crashAt).toBeGreaterThan(3);
          break;
        }
      }
    });
  });

  describe('forks', () => {
    const fork = (run: string, from: string, step: number) => ({
      run,
      from,
      step,
      config: { ...config(), seed: 7 },
      createdAt: new Date(Date.UTC(2026, 10, 5)),
    });
    /** All that a run says about itself, with its name and its parent's left out. */
    const story = async (run: string) => ({
      rows: await rows(run),
      programs: await liveIds(run),
      steps: (await collect(restarted().eachStep(run))).map(({ _id, totals: sum }) => [_id, sum]),
      hashes: [
        ...(await restarted().knownHashes(
          run,
          [0, 1, 2, 3, 4].flatMap((step) => slots.map((slot) => normHash(step, slot))),
          99,
        )),
      ].sort(),
    });
    const replay = async (run: string, from: number, to: number, owner: string, epoch = 0): Promise<void> => {
      for (let step = from; step <= to; step++)
        await store().commit({ ...commitOf(run, step, await store().openStep(run, step, owner), { epoch }), epoch });
    };

    it('begin as the other run was after that step, once, and leave it untouched', async () => {
      const [parent, run] = [freshRun(), freshRun()];
      await grow(store(), parent, 2);
      const asParent = await story(parent);
      await store().commit(commitOf(parent, 3, await store().openStep(parent, 3, 'w')));
      await store().setFields(parent, { isolation: 'docker' });
      const before = await store().readRun(parent);
      const made = await store().createFork(fork(run, parent, 2));
      expect(made.run).toMatchObject({
        origin: { run: parent, step: 2 },
        committedStep: 2,
        configVersion: 1,
        config: { seed: 7 },
        totals: totals(2),
        best: { step: 2 },
        generation: 1,
        taskDigest: 'task',
        evaluatorDigest: 'evaluator',
        isolation: 'docker',
        offlineModel: true,
        epochs: [],
        setAside: [],
        sweep: null,
        draws: parent,
        status: 'running',
      });
      expect(await story(run)).toEqual(asParent);
      expect(await restarted().createFork(fork(run, parent, 1))).toEqual({ created: false, run: made.run });
      expect((await store().readStep(run, 2, 1))?.state).toBe('committed');
      expect(await store().committedAt(run, 2)).toEqual(await store().committedAt(parent, 2));
      expect(await store().committedAt(run, 3)).toBeNull();

      for (let step = 3; step <= 5; step++)
        await store().commit(forkCommitOf(run, { run: parent, step: 2 }, step, await store().openStep(run, step, 'f')));
      expect(await liveIds(run)).toEqual(
        [0, 1, 2, 3, 4, 5].flatMap((step) => slots.map((slot) => programId(step <= 2 ? parent : run, step, 0, slot))),
      );
      expect(await rows(run)).toEqual(await rows(run, store()));
      const settings = await Promise.all(
        (await collect(store().eachStep(run, 2))).map((step) => restarted().readConfig(step.run, step.configVersion)),
      );
      expect(settings.map(({ seed }) => seed)).toEqual([42, 7, 7, 7]);
      expect(await store().knownHashes(run, [normHash(1, 1), normHash(4, 1)], 6)).toEqual(
        new Map([
          [normHash(1, 1), programId(parent, 1, 0, 1)],
          [normHash(4, 1), programId(run, 4, 0, 1)],
        ]),
      );
      expect(await store().knownHashes(run, [normHash(1, 1)], 1)).toEqual(new Map());
      expect(await store().readRun(parent)).toEqual(before);
      expect(
        new Set(
          (await collect(store().exportRun(run))).flatMap(({ collection, document }) =>
            collection === 'blobs' ? [] : [document.run],
          ),
        ),
      ).toEqual(new Set([parent, run]));
      expect(
        (await collect(store().exportRun(parent))).every(
          ({ collection, document }) => collection === 'blobs' || document.run === parent,
        ),
      ).toBe(true);
    });

    it('stay as they are when the other run replays, resamples or takes in more', async () => {
      const [parent, run] = [freshRun(), freshRun()];
      await grow(store(), parent, 3);
      await store().createFork(fork(run, parent, 3));
      const before = await story(run);
      await store().openStep(parent, 1, 'replay');
      expect(await story(run)).toEqual(before);
      // The same step again, with one program more: documents move to the newer generation, the fork keeps its own
      // four.
      const again = commitOf(parent, 1, 2);
      await store().commit({ ...again, programs: [...again.programs, program(parent, 1, SLOTS, 2)] });
      await replay(parent, 2, 3, 'replay');
      expect(await story(run)).toEqual(before);
      expect((await restarted().knownHashes(run, [normHash(1, SLOTS)], 9)).size).toBe(0);
      expect((await restarted().knownHashes(parent, [normHash(1, SLOTS)], 9)).size).toBe(1);
      await store().openStep(parent, 1, 'afresh');
      await store().resample(parent, 1, 'afresh');
      await replay(parent, 1, 3, 'afresh', 1);
      expect(await story(run)).toEqual(before);
      expect(await restarted().epochOf(run, 3)).toBe(0);
    });

    it('are rewound on their own, also to before they began, and forked again', async () => {
      const [parent, run, second] = [freshRun(), freshRun(), freshRun()];
      await grow(store(), parent, 3);
      await store().createFork(fork(run, parent, 3));
      const own = async (step: number, owner: string): Promise<unknown> =>
        store().commit(
          forkCommitOf(
            run,
            { run: parent, step: Math.min(3, step - 1) },
            step,
            await store().openStep(run, step, owner),
          ),
        );
      await own(4, 'f');
      await own(5, 'f');
      // A fork of a fork is judged on the draws of the run at the root.
      expect((await store().createFork(fork(second, run, 4))).run.draws).toBe(parent);
      const [storyOfParent, storyOfSecond] = [await story(parent), await story(second)];
      expect(storyOfSecond.steps.map(([id]) => id)).toEqual(
        [0, 1, 2, 3, 4].map((step) => `${step <= 3 ? parent : run}:00000${step}:1`),
      );

      await expect(store().commit(commitOf(run, 2, 1))).rejects.toThrow(SupersededError);
      expect(await store().openStep(run, 2, 'back')).toBe(2);
      // The other run paid for steps 2 and 3.
      expect((await store().readRun(run))!).toMatchObject({
        committedStep: 1,
        totals: totals(1),
        setAside: [paidFor(4), paidFor(5)],
      });
      expect((await store().supersededSteps(run)).map(({ step }) => step)).toEqual([4, 5]);
      expect([
        await store().readStep(run, 1, 1),
        await store().readStep(run, 2, 1),
        (await store().readStep(run, 4, 1))?.state,
      ]).toMatchObject([{ state: 'committed' }, null, 'superseded']);
      await store().commit(forkCommitOf(run, { run: parent, step: 1 }, 2, 2));
      expect((await collect(restarted().eachStep(run))).map(({ _id }) => _id)).toEqual([
        `${parent}:000000:1`,
        `${parent}:000001:1`,
        `${run}:000002:2`,
      ]);
      expect(await rows(run)).toEqual(await rows(run, store()));
      expect([await story(parent), await story(second)]).toEqual([storyOfParent, storyOfSecond]);
      expect((await store().readStep(parent, 3, 1))?.state).toBe('committed');
      await store().openStep(run, 0, 'from nothing');
      expect(await liveIds(run)).toEqual([]);
    });

    it("load from the other run's snapshots", async () => {
      const [parent, run] = [freshRun(), freshRun()];
      await store().createRun(newRun(parent));
      const states: unknown[] = [];
      for (let step = 0; step <= 6; step++) {
        await store().commit({
          ...commitOf(parent, step, await store().openStep(parent, step, 'w')),
          changeSet: changeSet(parent, step, 350),
          programs: [],
        });
        states.push(await rows(parent, store()));
      }
      const snapshot = (await world.backend().collections.steps.get(`${parent}:000006:1`))!.snapshot!;
      expect(snapshot).toMatchObject({ run: parent });
      await store().createFork(fork(run, parent, 6));
      expect(await rows(run)).toEqual(states[6]);
      for (let step = 7; step <= 12; step++) {
        const commit = {
          ...commitOf(run, step, await store().openStep(run, step, 'f')),
          changeSet: changeSet(run, step, 350, (at) => (at <= 6 ? parent : run)),
          programs: [],
        };
        await store().commit(commit);
        expect(await rows(run)).toEqual(await rows(run, store()));
      }
      expect((await world.backend().collections.steps.get(`${run}:000012:1`))!.snapshot).toMatchObject({ run });
    });

    it('need a committed step of a run that is there', async () => {
      const parent = freshRun();
      await grow(store(), parent, 1);
      for (const step of [2, -1, 0.5])
        await expect(store().createFork(fork(`${parent}-f`, parent, step))).rejects.toThrow(
          /from 0 to 1, the last committed one/,
        );
      await expect(store().createFork(fork(`${parent}-f`, `${parent}-x`, 0))).rejects.toThrow(/evolve list/);
      expect(await store().readRun(`${parent}-f`)).toBeNull();
    });
  });

  describe('injected programs', () => {
    const injection = (run: string, key: string, atMs: number): InjectionDocument => ({
      _id: `${run}:inject:${key}`,
      run,
      island: 1,
      code: 'c'.repeat(64),
      at: new Date(atMs),
      place: null,
    });
    const take = async (run: string, step: number, from = restarted()) =>
      (await from.takeInjections(run, step)).map(({ _id, place }) => [
        _id.split(':').at(-1),
        place!.step,
        place!.index,
      ]);

    it('are taken once, oldest first, by the step that asks next, which keeps them', async () => {
      const run = freshRun();
      expect(await take(run, 1)).toEqual([]);
      for (const [key, at] of [
        ['late', 30],
        ['b', 20],
        ['a', 20],
      ] as const)
        await store().inject(injection(run, key, at));
      expect(await store().inject({ ...injection(run, 'b', 99), island: 2 })).toEqual(injection(run, 'b', 20));
      const first = [
        ['a', 4, 0],
        ['b', 4, 1],
        ['late', 4, 2],
      ];
      expect(await take(run, 4)).toEqual(first);
      await store().inject(injection(run, 'older', 1));
      expect(await take(run, 5)).toEqual([['older', 5, 0]]);
      expect(await take(run, 4)).toEqual(first);
      await store().inject(injection(run, 'rewound', 1));
      expect(await take(run, 4)).toEqual([...first, ['rewound', 4, 3]]);
      expect(await take(run, 5)).toEqual([['older', 5, 0]]);
      expect((await store().inject(injection(run, 'b', 20))).place).toEqual({ step: 4, index: 1 });
    });

    it('have one place each however many take and inject at once', async () => {
      const run = freshRun();
      await store().inject(injection(run, 'k0', 50));
      const takers = Array.from({ length: 12 }, async (_, i) => {
        await store().inject(injection(run, `k${i}`, 50 - i));
        return take(run, i % 3 === 0 ? 2 : 1);
      });
      const seen = (await Promise.all(takers)).flat();
      const places = new Map<unknown, string>();
      for (const [key, ...place] of seen) {
        expect(places.get(key) ?? place.join()).toBe(place.join());
        places.set(key, place.join());
      }
      const all = [...(await take(run, 1)), ...(await take(run, 2))];
      expect(new Set(all.map(([key]) => key)).size).toBe(12);
      for (const step of [1, 2]) {
        const indices = all.filter(([, at]) => at === step).map(([, , index]) => index);
        expect(indices).toEqual(indices.map((_, index) => index));
      }
      for (const [key, ...place] of all) expect(places.get(key) ?? place.join()).toBe(place.join());
    });

    it('keep their places after a crash at any write', async () => {
      for (let crashAt = 1; ; crashAt++) {
        const run = freshRun();
        for (const key of ['a', 'b', 'c']) await store().inject(injection(run, key, 1));
        const failed = await isFailing(crashing(crashAt).takeInjections(run, 1));
        await store().inject(injection(run, 'd', 0));
        const places = await take(run, 1);
        expect([crashAt, places.map(([key]) => key)]).toEqual([
          crashAt,
          crashAt === 1 ? ['d', 'a', 'b', 'c'] : ['a', 'b', 'c', 'd'],
        ]);
        expect(await take(run, 1)).toEqual(places);
        if (!failed) {
          expect(crashAt).toBeGreaterThan(3);
          break;
        }
      }
    });
  });

  describe('actions of people', () => {
    it('are listed with what became of them, and their marks are those that were set last', async () => {
      const [run, fork] = [freshRun(), `${freshRun()}-fork`];
      await grow(store(), run, 1);
      const [first, second] = [0, 1].map((slot) => programId(run, 1, 0, slot)) as [string, string];
      const asked = { ...markAction(run, null, 'kept', 1), state: 'asked' as const, text: '' };
      await store().putAction(asked);
      expect(await restarted().listActions(run)).toEqual([asked]);
      expect((await store().readRun(run))!.mark).toBeUndefined();
      const set = [
        [null, 'kept'],
        [first, 'old'],
        [second, 'gone'],
        [second, null],
        [first, 'new'],
      ] as const;
      for (const [index, [of, label]] of set.entries()) await store().putAction(markAction(run, of, label, index + 1));
      const given = (label: string, atMs: number) => ({
        ...{ star: true, label, note: null, by: { name: 'mia', from: 'page' } },
        at: new Date(atMs).toISOString(),
      });
      expect((await restarted().listActions(run)).map(({ at, state }) => [Number(at), state])).toEqual(
        [1, 2, 3, 4, 5].map((at) => [at, 'done']),
      );
      expect((await restarted().readRun(run))!.mark).toEqual(given('kept', 1));
      await store().createFork({ run: fork, from: run, step: 1, config: config(), createdAt: new Date() });
      for (const of of [run, fork])
        expect(await restarted().programMarks(of)).toEqual(new Map([[first, given('new', 5)]]));
      await store().putAction(markAction(run, null, null, 6));
      expect((await restarted().readRun(run))!.mark).toBeNull();
    });

    it('name the message behind a version of the settings', async () => {
      const run = freshRun();
      await store().createRun(newRun(run));
      await store().setConfig(run, { ...config(), seed: 2 }, 1, 'message');
      expect((await restarted().readRun(run))!.happened).toMatchObject([{ version: 2, by: 'message' }]);
    });
  });

  describe('sweeps', () => {
    /** A run's id says its settings. */
    const idOf = (name: string, group: SweepDocument['groups'][number], seed: number, base = ''): string =>
      `${name}-${group['population.cap']}${base}-s${seed}`;
    const sweep = (name: string, runs: number, groups: SweepDocument['groups'], base = ''): SweepDocument => ({
      _id: name,
      run: `sweep:${name}`,
      spec: { name, grid: { 'population.cap': [10, 20] }, $odd: null },
      groups,
      status: 'running',
      stopReason: null,
      decisions: [],
      runs: Array.from({ length: runs }, (_, i) => ({
        run: idOf(name, groups[i % groups.length]!, i, base),
        group: i % groups.length,
        seed: i,
        repeat: 1,
      })),
      createdAt: new Date(Date.UTC(2026, 10, 7)),
      endedAt: null,
    });
    const [ten, twenty, thirty] = [
      { 'population.cap': 10 },
      { 'population.cap': 20 },
      { 'population.cap': 30, 'model.name': 'm' },
    ];

    it('are put once, and united when they are put again', async () => {
      const name = freshRun();
      expect(await store().readSweep(name)).toBeNull();
      const made = sweep(name, 4, [ten, twenty]);
      expect(await store().putSweep(made)).toEqual(made);
      expect(await restarted().readSweep(name)).toEqual(made);
      const decisions = [
        {
          programs: 8,
          ranking: [
            { group: 1, score: 2 },
            { group: 0, score: null },
          ],
          stopped: [0],
        },
      ];
      await store().setSweep(name, { status: 'stopped', stopReason: 'by hand', endedAt: new Date(5), decisions });
      const wider = { ...sweep(name, 6, [thirty, twenty]), spec: { name, again: true }, createdAt: new Date(9) };
      const united = await restarted().putSweep(wider);
      expect(united).toEqual({
        ...made,
        spec: { name, again: true },
        groups: [ten, twenty, thirty],
        decisions,
        runs: [
          ...made.runs,
          ...[
            ...[0, 2, 4].map((seed) => ({ run: idOf(name, thirty, seed), group: 2, seed, repeat: 1 })),
            { run: idOf(name, twenty, 5), group: 1, seed: 5, repeat: 1 },
          ].sort((a, b) => a.seed - b.seed),
        ],
      });
      expect(await restarted().readSweep(name)).toEqual(united);
      expect(await store().putSweep(wider)).toEqual(united);
    });

    it('lose nothing when many are put at once, and are listed newest first', async () => {
      const [name, other] = [freshRun(), freshRun()];
      const all = await Promise.all(
        [1, 5, 3, 8, 2].map((runs) =>
          restarted().putSweep(sweep(name, runs, runs % 2 === 0 ? [twenty, thirty] : [ten])),
        ),
      );
      expect(all).toHaveLength(5);
      const united = (await store().readSweep(name))!;
      expect(united.runs.map(({ run }) => run).sort()).toEqual([
        ...[0, 1, 2, 3, 4].map((seed) => idOf(name, ten, seed)),
        ...[0, 2, 4, 6].map((seed) => idOf(name, twenty, seed)),
        ...[1, 3, 5, 7].map((seed) => idOf(name, thirty, seed)),
      ]);
      expect(new Set(united.groups.map((group) => JSON.stringify(group))).size).toBe(3);
      await store().putSweep({ ...sweep(other, 1, [ten]), createdAt: new Date(Date.UTC(2026, 10, 8)) });
      const listed = (await store().listSweeps()).map(({ _id }) => _id);
      expect(listed.indexOf(other)).toBeLessThan(listed.indexOf(name));
      await expect(store().setSweep(`${name}-x`, { status: 'finished' })).rejects.toThrow(/no.* by that name/);
    });

    it('with another base has groups of its own: their runs are not mixed', async () => {
      const name = freshRun();
      await store().putSweep(sweep(name, 2, [ten, twenty]));
      const united = await store().putSweep(sweep(name, 2, [ten, twenty], 'b'));
      expect(united.groups).toEqual([ten, twenty, ten, twenty]);
      expect(united.runs.map(({ group }) => group)).toEqual([0, 1, 2, 3]);
    });
  });
};
