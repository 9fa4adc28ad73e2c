// The contract of the store, run against every implementation of its collections (memory.test.ts, mongo.test.ts).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConflictError, SupersededError } from '../../../activities/store/documents/errors.ts';
import { storeOver } from '../../../activities/store/open-store.ts';
import type { Store } from '../../../activities/store/store.ts';
import type { Collections } from '../../../activities/store/documents/stored.ts';
import { programId } from '../../../evolution/ids.ts';
import { emptyPopulation, rowsOf } from '../../../evolution/population/population.ts';
import { bookingsContract } from './steps/bookings-contract.ts';
import { embeddingsContract } from './content/embeddings-contract.ts';
import { exportContract } from './exchange/export-contract.ts';
import { Crash, faulty, isFailing } from './faulty-collections.ts';
import {
  changeSet,
  collect,
  commitOf,
  config,
  delta,
  evaluation,
  grow,
  newRun,
  normHash,
  program,
  prompt,
  rollout,
  SLOTS,
  totals,
} from './fixtures.ts';
import { learningContract } from './learning/learning-contract.ts';
import { installationContract } from './upkeep/installation-contract.ts';
import { pruneContract } from './upkeep/prune-contract.ts';
import { steeringContract } from './steps/steering-contract.ts';

export type Backend = { readonly collections: Collections; readonly close: () => Promise<void> };

export const storeContract = (name: string, start: () => Promise<Backend>): void => {
  describe(`store contract: ${name}`, () => {
    let backend: Backend;
    let store: Store;
    let count = 0;
    const freshRun = (): string => `run-${name}-${++count}-${process.pid}`;
    /** The store of another process, without a cache. */
    const restarted = (): Store => storeOver(backend.collections);
    const populationRows = async (from: Store, run: string) => rowsOf(await from.population(run));
    const liveIds = async (from: Store, run: string): Promise<string[]> =>
      (await collect(from.eachProgram(run))).map(({ _id }) => _id);
    beforeAll(async () => {
      backend = await start();
      store = storeOver(backend.collections);
    });
    afterAll(async () => {
      await backend.close();
    });

    describe('the identity', () => {
      it('is made once, whoever asks first, and is the same after a restart', async () => {
        const asked = await Promise.all([store, restarted(), restarted()].map((one) => one.identity()));
        expect(asked[0]!.id).toMatch(/^[0-9a-f-]{36}$/);
        expect(asked[0]!.createdAt).toBeInstanceOf(Date);
        for (const identity of [...asked, await restarted().identity()]) expect(identity).toEqual(asked[0]);
      });
    });

    describe('texts', () => {
      const texts = [
        '',
        'short',
        'nul \u0000 inside',
        'é 日本 \u{1f600}',
        '\ufeffmark',
        'x = 1\n'.repeat(500),
        '한국어 \ud55c',
        'cut \ud83d',
        '\udc00 first',
        'a\ud800\udc00b\ud800',
        '\udfff\ud800'.repeat(400),
        'lone \ud800 and \ufffd',
      ];

      it('come back as they were put, odd ones too', async () => {
        const refs = await store.putTexts(texts);
        const read = await restarted().getTexts(refs);
        expect(refs.map((ref) => read.get(ref))).toEqual(texts);
      });

      it('have one address each, the SHA-256 of their UTF-8 bytes, whoever puts them', async () => {
        const [a, b, c] = await store.putTexts(['abc', 'abd', 'abc']);
        expect(a).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
        expect(c).toBe(a);
        expect(b).not.toBe(a);
        expect(await restarted().putTexts(['abc'])).toEqual([a]);
        expect(new Set(await store.putTexts(['\ud800', '\ud801', '\ufffd'])).size).toBe(3);
      });

      it('leaves unknown addresses out', async () => {
        expect((await store.getTexts(['0'.repeat(64)])).size).toBe(0);
      });

      it('reads hundreds at once', async () => {
        const many = Array.from({ length: 333 }, (_, i) => `text ${i} ${'y'.repeat(i * 5)}`);
        const refs = await store.putTexts(many);
        const read = await restarted().getTexts(refs);
        expect(refs.map((ref) => read.get(ref))).toEqual(many);
      });
    });

    describe('what a step makes', () => {
      it('is insert-or-get: the first stored document wins and is returned in the order asked', async () => {
        const run = freshRun();
        const first = await store.putRollouts([rollout(run, 1, 0), rollout(run, 1, 2)]);
        expect(first.map(({ slot }) => slot)).toEqual([0, 2]);
        const second = await restarted().putRollouts([2, 1, 0].map((slot) => rollout(run, 1, slot, 'other model')));
        expect(second.map(({ slot, model }) => [slot, model])).toEqual([
          [2, 'offline'],
          [1, 'other model'],
          [0, 'offline'],
        ]);
        const stored = await store.getRollouts([0, 1, 2, 3].map((slot) => programId(run, 1, 0, slot)));
        expect([...stored.values()].map(({ slot, model }) => [slot, model]).sort()).toEqual([
          [0, 'offline'],
          [1, 'other model'],
          [2, 'offline'],
        ]);
        expect(await restarted().putRollouts([2, 1, 0].map((slot) => rollout(run, 1, slot, 'third')))).toEqual(second);
      });

      it('holds for prompts, deltas and evaluations alike, and keeps every field', async () => {
        const run = freshRun();
        expect(await store.putPrompts([prompt(run, 1, 0)])).toEqual([prompt(run, 1, 0)]);
        expect(await store.putPrompts([prompt(run, 1, 0, 'other')])).toEqual([prompt(run, 1, 0)]);
        expect((await store.getPrompts([prompt(run, 1, 0)._id])).get(prompt(run, 1, 0)._id)).toEqual(prompt(run, 1, 0));
        expect(await store.putDeltas([delta(run, 1, 1)])).toEqual([delta(run, 1, 1)]);
        expect((await store.getDeltas([delta(run, 1, 1)._id])).get(delta(run, 1, 1)._id)).toEqual(delta(run, 1, 1));
        expect(await store.putEvaluations([evaluation(run, 1, 1), evaluation(run, 1, 1, 99)])).toEqual([
          evaluation(run, 1, 1),
          evaluation(run, 1, 1),
        ]);
        expect((await store.getEvaluations([evaluation(run, 1, 1)._id])).get(evaluation(run, 1, 1)._id)).toEqual(
          evaluation(run, 1, 1),
        );
        expect(await store.putRollouts([])).toEqual([]);
        expect((await store.getDeltas([])).size).toBe(0);
      });
    });

    describe('tasks', () => {
      it('are stored once by their digest, and read by whoever has it', async () => {
        const task = {
          _id: String(++count).padStart(64, 'a'),
          task: 'mine',
          files: [
            { path: 'task.yaml', blob: 'b'.repeat(64) },
            { path: '../library/points.py', blob: 'c'.repeat(64) },
          ],
        };
        expect(await store.readTask(task._id)).toBeNull();
        expect(await store.putTask(task)).toEqual(task);
        expect(await restarted().putTask({ ...task, task: 'another' })).toEqual(task);
        expect(await restarted().readTask(task._id)).toEqual(task);
      });

      it('a run, and a fork of it, refer to theirs', async () => {
        const run = freshRun();
        await grow(store, run, 1);
        const kept = freshRun();
        await store.createRun({ ...newRun(kept), taskSnapshot: 'd'.repeat(64) });
        await grow(store, kept, 1);
        const fork = freshRun();
        await store.createFork({ run: fork, from: kept, step: 1, config: config(), createdAt: new Date() });
        for (const one of [kept, fork]) expect((await restarted().readRun(one))!.taskSnapshot).toBe('d'.repeat(64));
        expect(await store.readRun(run)).not.toHaveProperty('taskSnapshot');
      });
    });

    describe('runs', () => {
      it('are created once', async () => {
        const run = freshRun();
        expect(await store.readRun(run)).toBeNull();
        const made = await store.createRun(newRun(run));
        const again = await restarted().createRun({ ...newRun(run), taskDigest: 'another' });
        expect([made.created, again.created]).toEqual([true, false]);
        expect(again.run).toEqual(made.run);
        expect(made.run).toMatchObject({
          committedStep: -1,
          status: 'running',
          totals: totals(0),
          best: null,
          configVersion: 1,
        });
        expect(await store.readRun(run)).toEqual(made.run);
      });

      it('are listed newest first', async () => {
        const [old, young] = [freshRun(), freshRun()];
        await store.createRun({ ...newRun(young), createdAt: new Date(Date.UTC(2026, 11, 2)) });
        await store.createRun({ ...newRun(old), createdAt: new Date(Date.UTC(2026, 11, 1)) });
        const listed = (await store.listRuns()).map(({ run }) => run);
        expect(listed.indexOf(young)).toBeLessThan(listed.indexOf(old));
      });

      it('change status and isolation; details that are not given stay', async () => {
        const run = freshRun();
        await store.createRun(newRun(run));
        await store.setStatus(run, 'needs attention', { reason: 'no endpoint' });
        await store.setFields(run, { isolation: 'docker' });
        expect(await store.readRun(run)).toMatchObject({
          status: 'needs attention',
          statusReason: 'no endpoint',
          stopReason: null,
          isolation: 'docker',
        });
        const endedAt = new Date(Date.UTC(2026, 11, 3));
        await store.setStatus(run, 'finished', { reason: null, stopReason: 'steps', endedAt });
        await store.setStatus(run, 'finished', {});
        expect(await store.readRun(run)).toMatchObject({
          status: 'finished',
          statusReason: null,
          stopReason: 'steps',
          endedAt,
        });
        await expect(store.setStatus(`${run}-x`, 'paused', {})).rejects.toThrow(/evolve list/);
      });

      it('keep what happened between their steps: states that last, once each, and versions of the settings', async () => {
        const run = freshRun();
        await store.createRun(newRun(run));
        expect((await store.readRun(run))!.happened).toEqual([]);
        await store.setStatus(run, 'running', {});
        await store.setStatus(run, 'pausing', { reason: 'lunch' });
        for (const _ of [1, 2]) await store.setStatus(run, 'paused', { reason: 'lunch' });
        await store.setConfig(run, { ...config(), seed: 43 }, 1);
        await store.setStatus(run, 'running', { reason: null });
        const at = expect.any(Date) as Date;
        expect((await store.readRun(run))!.happened).toEqual([
          { at, status: 'paused', reason: 'lunch' },
          { at, version: 2 },
          { at, status: 'running', reason: null },
        ]);
        for (let turn = 0; turn < 100; turn++) await store.setStatus(run, turn % 2 === 0 ? 'paused' : 'running', {});
        expect((await store.readRun(run))!.happened).toHaveLength(60);
      });

      it('change settings from a known version only; a repetition is accepted, another change is a conflict', async () => {
        const run = freshRun();
        await store.createRun(newRun(run));
        const wider = { ...config(), seed: 43 };
        expect(await store.setConfig(run, wider, 1)).toBe(2);
        expect(await store.setConfig(run, wider, 1)).toBe(2);
        await expect(store.setConfig(run, { ...config(), seed: 44 }, 1)).rejects.toThrow(ConflictError);
        expect(await store.setConfig(run, { ...config(), seed: 44 }, 2)).toBe(3);
        expect(await store.readRun(run)).toMatchObject({ configVersion: 3, config: { seed: 44 } });
        expect(
          (await backend.collections.events.find({ run }))
            .map(({ version, config: { seed } }) => [version, seed])
            .sort(),
        ).toEqual([
          [1, 42],
          [2, 43],
        ]);
      });
    });

    describe('fence', () => {
      it('answers the same owner alike, raises the generation for another, and follows the order of steps', async () => {
        const run = freshRun();
        await store.createRun(newRun(run));
        const table: [step: number, owner: string, raised: number][] = [
          [0, 'a', 0],
          [0, 'a', 0],
          [1, 'b', 0],
          [1, 'b', 0], // forward, with retries
          [0, 'a', 0], // a late retry of step 0 gets what it was given
          [1, 'c', 1],
          [1, 'c', 1],
          [1, 'b', 0], // reset of step 1; the zombie keeps its old generation
          [2, 'd', 1],
          [2, 'd', 1],
          [1, 'e', 2],
          [2, 'f', 2], // forward again; rewind below an opened step
          [2, 'd', 1],
          [0, 'g', 3],
          [0, 'a', 0],
        ];
        const first = await store.openStep(run, 0, 'a');
        for (const [step, owner, raised] of table)
          expect([step, owner, await restarted().openStep(run, step, owner)]).toEqual([step, owner, first + raised]);
      });

      it('gives two that open one step at once different generations', async () => {
        const run = freshRun();
        await store.createRun(newRun(run));
        const given = await Promise.all(['a', 'b', 'c', 'd'].map((owner) => restarted().openStep(run, 0, owner)));
        expect(new Set(given).size).toBe(4);
        expect(await Promise.all(['a', 'b', 'c', 'd'].map((owner) => restarted().openStep(run, 0, owner)))).toEqual(
          given,
        );
      });

      it('takes the run back when a committed step is opened by another', async () => {
        const run = freshRun();
        await grow(store, run, 3);
        const [before, programsBefore] = [await populationRows(restarted(), run), await liveIds(store, run)];
        const generation = await store.openStep(run, 2, 'reset');
        expect(generation).toBe(2);
        const rewound = (await store.readRun(run))!;
        expect(rewound).toMatchObject({
          committedStep: 1,
          generation: 2,
          totals: totals(1),
          population: changeSet(run, 1).state,
        });
        expect(rewound.best?.step).toBe(1);
        const undisturbed = freshRun();
        await grow(store, undisturbed, 1);
        const expected = JSON.stringify(await populationRows(store, undisturbed)).replaceAll(undisturbed, run);
        expect(JSON.stringify(await populationRows(store, run))).toBe(expected);
        expect(JSON.stringify(await populationRows(restarted(), run))).toBe(expected);
        expect(await liveIds(store, run)).toEqual(programsBefore.slice(0, 2 * SLOTS));
        expect([
          (await store.readStep(run, 1, 1))?.state,
          (await store.readStep(run, 2, 1))?.state,
          await store.readStep(run, 2, 2),
        ]).toEqual(['committed', 'superseded', null]);
        for (let step = 2; step <= 3; step++)
          await store.commit(commitOf(run, step, await store.openStep(run, step, 'reset')));
        expect(await populationRows(store, run)).toEqual(before);
        expect(await populationRows(restarted(), run)).toEqual(before);
        expect(await liveIds(store, run)).toEqual(programsBefore);
      });

      it('takes the run back to its beginning', async () => {
        const run = freshRun();
        await grow(store, run, 2);
        await store.openStep(run, 0, 'reset');
        expect(await store.readRun(run)).toMatchObject({ committedStep: -1, totals: totals(0), best: null });
        expect(rowsOf(await store.population(run))).toEqual(rowsOf(emptyPopulation(config().population)));
        expect(await liveIds(store, run)).toEqual([]);
      });

      it('raises the generation only, when the step was opened but not committed', async () => {
        const run = freshRun();
        await grow(store, run, 1);
        const before = await populationRows(store, run);
        expect(await store.openStep(run, 2, 'a')).toBe(1);
        expect(await store.openStep(run, 2, 'b')).toBe(2);
        expect(await store.readRun(run)).toMatchObject({ committedStep: 1, generation: 2, view: 0 });
        expect(await populationRows(store, run)).toEqual(before);
        await expect(store.commit(commitOf(run, 2, 1))).rejects.toThrow(SupersededError);
        expect((await store.commit(commitOf(run, 2, 2))).committedStep).toBe(2);
      });
    });

    describe('commit', () => {
      it('moves the commit point, totals, best and population together', async () => {
        const run = freshRun();
        await grow(store, run, 2);
        const committed = await store.commit(commitOf(run, 3, 1));
        expect(committed).toMatchObject({
          committedStep: 3,
          totals: totals(3),
          best: commitOf(run, 3, 1).best,
          population: changeSet(run, 3).state,
        });
        expect(await store.readRun(run)).toEqual(committed);
        expect(await store.readStep(run, 3, 1)).toMatchObject({ state: 'committed', step: 3, totals: totals(3) });
        expect((await store.getPrograms([programId(run, 3, 0, 1)])).get(programId(run, 3, 0, 1))).toEqual(
          program(run, 3, 1, 1),
        );
      });

      it('repeated by the same generation changes nothing, also when the run has gone on', async () => {
        const run = freshRun();
        await grow(store, run, 2);
        const before = await store.readRun(run);
        expect(await store.commit(commitOf(run, 2, 1))).toEqual(before);
        expect(await restarted().commit(commitOf(run, 1, 1))).toEqual(before);
        await store.openStep(run, 3, 'w');
        await store.openStep(run, 3, 'reset');
        expect((await restarted().commit(commitOf(run, 2, 1))).committedStep).toBe(2);
      });

      it('is refused out of turn and by a generation that was replaced', async () => {
        const run = freshRun();
        await grow(store, run, 1);
        await expect(store.commit(commitOf(run, 3, 1))).rejects.toThrow(SupersededError);
        await expect(store.commit(commitOf(run, 2, 7))).rejects.toThrow(SupersededError);
        await store.openStep(run, 1, 'reset');
        await expect(store.commit(commitOf(run, 1, 1))).rejects.toThrow(SupersededError);
        expect(await store.readRun(run)).toMatchObject({ committedStep: 0 });
      });

      it('refuses other content under an id of its generation, and takes over ids of an older one', async () => {
        const run = freshRun();
        await grow(store, run, 0);
        await storeOver(faulty(backend.collections, 2).collections)
          .commit(commitOf(run, 1, 1))
          .catch((error: unknown) => {
            expect(error).toBeInstanceOf(Crash);
          });
        await expect(store.commit(commitOf(run, 1, 1, { reward: 0.5 }))).rejects.toThrow(ConflictError);
        await store.openStep(run, 1, 'w');
        const generation = await store.openStep(run, 1, 'reset');
        await store.commit(commitOf(run, 1, generation, { reward: 0.5 }));
        expect(
          (await collect(store.eachProgram(run, { fromStep: 1 }))).map(({ reward, generation: g }) => [reward, g]),
        ).toEqual(Array(SLOTS).fill([0.5, 2]));
      });

      it('goes on with the stored change set, whatever a retry computes', async () => {
        const run = freshRun();
        await grow(store, run, 1);
        const upToMarker = faulty(backend.collections, 4);
        await expect(storeOver(upToMarker.collections).commit(commitOf(run, 2, 1))).rejects.toThrow(Crash);
        expect(await store.readStep(run, 2, 1)).toMatchObject({ state: 'prepared' });
        const other = changeSet(run, 2);
        await store.commit({
          ...commitOf(run, 2, 1),
          changeSet: { ...other, add: other.add.slice(0, 1), remove: [], cells: [] },
          totals: totals(9),
        });
        const undisturbed = freshRun();
        await grow(store, undisturbed, 2);
        expect(JSON.stringify(await populationRows(restarted(), run))).toBe(
          JSON.stringify(await populationRows(store, undisturbed)).replaceAll(undisturbed, run),
        );
        expect((await store.readRun(run))?.totals).toEqual(totals(2));
      });

      it('ends as the undisturbed one after a crash at any write, by a retry or by the next load', async () => {
        const undisturbed = freshRun();
        await grow(store, undisturbed, 3);
        const as = async (run: string) =>
          JSON.stringify([await populationRows(restarted(), run), await liveIds(restarted(), run)]).replaceAll(
            run,
            'RUN',
          );
        const expected = await as(undisturbed);
        for (let crashAt = 1; ; crashAt++) {
          const [run, seen] = [freshRun(), freshRun()];
          await grow(store, run, 2);
          await grow(store, seen, 2);
          const crashing = (): Store => storeOver(faulty(backend.collections, crashAt).collections);
          if (!(await isFailing(crashing().commit(commitOf(run, 3, 1))))) {
            expect(crashAt).toBeGreaterThan(5);
            break;
          }
          await isFailing(crashing().commit(commitOf(seen, 3, 1)));
          expect((await restarted().population(seen)).state.size).toBe(2 * SLOTS);
          await restarted().commit(commitOf(run, 3, 1));
          await restarted().commit(commitOf(seen, 3, 1));
          expect([crashAt, await as(run)]).toEqual([crashAt, expected]);
          expect([crashAt, await as(seen)]).toEqual([crashAt, expected]);
          expect((await store.readRun(run))?.totals).toEqual(totals(3));
        }
      });

      it('survives a crash at any write of a rewind', async () => {
        const undisturbed = freshRun();
        await grow(store, undisturbed, 1);
        const expected = JSON.stringify(await populationRows(restarted(), undisturbed)).replaceAll(undisturbed, 'RUN');
        for (let crashAt = 1; ; crashAt++) {
          const run = freshRun();
          await grow(store, run, 3);
          const crashing = storeOver(faulty(backend.collections, crashAt).collections);
          const failed = await isFailing(crashing.openStep(run, 2, 'reset').then(() => crashing.population(run)));
          expect(await restarted().openStep(run, 2, 'reset')).toBe(2);
          expect([crashAt, JSON.stringify(await populationRows(restarted(), run)).replaceAll(run, 'RUN')]).toEqual([
            crashAt,
            expected,
          ]);
          expect((await restarted().readStep(run, 3, 1))?.state).toBe('superseded');
          if (!failed) {
            expect(crashAt).toBeGreaterThan(3);
            break;
          }
        }
      });

      it('in a row are stored together; where an attempt was cut short, the next one ends alike', async () => {
        const undisturbed = freshRun();
        await grow(store, undisturbed, 4);
        const as = async (run: string) =>
          JSON.stringify([await populationRows(restarted(), run), await liveIds(restarted(), run)]).replaceAll(
            run,
            'RUN',
          );
        const inRow = async (by: Store, run: string, last = 4): Promise<number> => {
          let after = (await by.readRun(run))!;
          for (let step = after.committedStep + 1; step <= last; step++)
            after = await by.commit({ ...commitOf(run, step, 1), next: 'w', after, followed: step < last });
          return after.committedStep;
        };
        for (let crashAt = 1, failed = true; failed; crashAt++) {
          const run = freshRun();
          await grow(store, run, 1);
          failed = await isFailing(inRow(storeOver(faulty(backend.collections, crashAt).collections), run));
          expect([1, 4]).toContain((await store.readRun(run))!.committedStep);
          const again = restarted();
          if ((await inRow(again, run)) === 1) for (let step = 2; step <= 4; step++) await inRow(again, run, step);
          expect(await as(run)).toBe(await as(undisturbed));
          expect(await store.readRun(run)).toMatchObject({ committedStep: 4, openings: { step: 5, owner: 'w' } });
        }
      });

      it('has one winner when two generations race, and the same end when one generation races itself', async () => {
        const run = freshRun();
        await grow(store, run, 1);
        const both = await Promise.all([
          restarted().commit(commitOf(run, 2, 1)),
          restarted().commit(commitOf(run, 2, 1)),
        ]);
        expect(both.map(({ committedStep }) => committedStep)).toEqual([2, 2]);
        const before = await populationRows(restarted(), run);
        const reset = store.openStep(run, 2, 'reset');
        const [zombie, generation] = await Promise.allSettled([restarted().commit(commitOf(run, 3, 1)), reset]);
        expect(generation).toEqual({ status: 'fulfilled', value: 2 });
        if (zombie.status === 'rejected') expect(zombie.reason).toBeInstanceOf(SupersededError);
        await restarted().commit(commitOf(run, 2, 2));
        expect(await populationRows(restarted(), run)).toEqual(before);
        await expect(restarted().commit(commitOf(run, 3, 1))).rejects.toThrow(SupersededError);
      });
    });

    describe('population', () => {
      it('loaded equals cached', async () => {
        const run = freshRun();
        await store.createRun(newRun(run));
        for (let step = 0; step <= 6; step++) {
          await store.openStep(run, step, 'w');
          await store.population(run);
          await store.commit(commitOf(run, step, 1));
          expect(await populationRows(restarted(), run)).toEqual(await populationRows(store, run));
        }
        expect((await store.population(run)).state).toEqual(changeSet(run, 6).state);
      });

      it('loads from snapshots as from the beginning, before and after a rewind across one', async () => {
        const run = freshRun();
        await store.createRun(newRun(run));
        const states: unknown[] = [];
        for (let step = 0; step <= 7; step++) {
          const generation = await store.openStep(run, step, 'w');
          await store.commit({
            ...commitOf(run, step, generation),
            changeSet: changeSet(run, step, 350),
            programs: [],
          });
          states.push(await populationRows(store, run));
        }
        const snapshots = await backend.collections.steps.find({ run }, ['step', 'snapshot']);
        expect(snapshots.filter(({ snapshot }) => snapshot !== null).length).toBeGreaterThan(0);
        expect(snapshots.find(({ step }) => step === 2)?.snapshot).toBeNull();
        expect(await populationRows(restarted(), run)).toEqual(states[7]);
        const exported = (await collect(store.exportRun(run))).map(({ collection }) => collection);
        expect(exported).toEqual(expect.arrayContaining(['population', 'cells']));
        await backend.collections.population.deleteAll(
          (await backend.collections.population.find({ run }, ['_id'])).map(({ _id }) => _id),
        );
        expect(await populationRows(restarted(), run)).toEqual(states[7]); // a snapshot that is lost is done without
        await store.openStep(run, 3, 'reset');
        expect(await populationRows(restarted(), run)).toEqual(states[2]);
        for (let step = 3; step <= 7; step++) {
          await store.commit({
            ...commitOf(run, step, await store.openStep(run, step, 'reset')),
            changeSet: changeSet(run, step, 350),
            programs: [],
          });
          expect(await populationRows(restarted(), run)).toEqual(states[step]);
        }
      });
    });

    describe('known hashes', () => {
      it('are those of evaluated programs of earlier committed steps, the earliest program each', async () => {
        const run = freshRun();
        await grow(store, run, 1);
        const repeats = Array.from({ length: SLOTS }, (_, slot) =>
          program(run, 2, slot, 1, { normHash: normHash(1, slot) }),
        );
        const unevaluated = program(run, 2, 5, 1, {
          outcome: 'no_solution',
          evaluation: null,
          normHash: normHash(7, 7),
        });
        await store.commit({ ...commitOf(run, 2, 1), programs: [...repeats, unevaluated] });
        const asked = [normHash(0, 1), normHash(1, 2), normHash(7, 7), normHash(9, 9), normHash(1, 2)];
        expect(await store.knownHashes(run, asked, 3)).toEqual(
          new Map([
            [normHash(0, 1), programId(run, 0, 0, 1)],
            [normHash(1, 2), programId(run, 1, 0, 2)],
          ]),
        );
        expect([...(await store.knownHashes(run, asked, 1)).keys()]).toEqual([normHash(0, 1)]);
        expect((await store.knownHashes(run, [], 3)).size).toBe(0);
      });

      it('leave out the open step and what a rewind superseded, whose programs stay readable', async () => {
        const run = freshRun();
        await grow(store, run, 2);
        await store.openStep(run, 3, 'w');
        await storeOver(faulty(backend.collections, 2).collections)
          .commit(commitOf(run, 3, 1))
          .catch(() => {});
        expect((await store.knownHashes(run, [normHash(2, 0), normHash(3, 0)], 4)).size).toBe(1);
        const generation = await store.openStep(run, 2, 'reset');
        expect((await store.knownHashes(run, [normHash(1, 0), normHash(2, 0), normHash(3, 0)], 4)).size).toBe(1);
        expect((await store.getPrograms([programId(run, 2, 0, 0)])).size).toBe(1);
        // Run again under another epoch: other ids at the same births; only the new ones count.
        const again = Array.from({ length: SLOTS }, (_, slot) =>
          program(run, 2, slot, generation, { epoch: 1, normHash: normHash(20, slot) }),
        );
        await store.commit({ ...commitOf(run, 2, generation), epoch: 1, programs: again });
        expect(await store.knownHashes(run, [normHash(2, 0), normHash(20, 0)], 3)).toEqual(
          new Map([[normHash(20, 0), programId(run, 2, 1, 0)]]),
        );
        expect((await liveIds(store, run)).slice(2 * SLOTS)).toEqual(again.map(({ _id }) => _id));
      });
    });

    describe('reading a whole run', () => {
      it('pages through 5,000 programs in birth order', async () => {
        const run = freshRun();
        await store.createRun(newRun(run));
        const sizes = [1, 1200, 3, 2000, 1, 1, 1, 1700, 93];
        for (const [step, size] of sizes.entries()) {
          const programs = Array.from({ length: size }, (_, slot) => program(run, step, slot, 1)).reverse();
          await store.commit({ ...commitOf(run, step, await store.openStep(run, step, 'w')), programs });
        }
        const births = (await collect(store.eachProgram(run))).map(({ step, slot }) => [step, slot]);
        expect(births).toEqual(sizes.flatMap((size, step) => Array.from({ length: size }, (_, slot) => [step, slot])));
        expect(await collect(store.eachProgram(run, { fromStep: 7 }))).toHaveLength(1793);
        expect(await collect(store.eachProgram(run, { fromStep: 9 }))).toEqual([]);
      });
    });

    bookingsContract({ backend: () => backend, store: () => store, freshRun });
    embeddingsContract({ backend: () => backend, store: () => store, freshRun });
    exportContract({ backend: () => backend, store: () => store, freshRun });
    steeringContract({ backend: () => backend, store: () => store, freshRun });
    installationContract({ backend: () => backend, store: () => store });
    pruneContract(name, start);
    learningContract({ backend: () => backend, store: () => store, freshRun });
  });
};
