// The contract of the store: what `evolve prune` removes is gone, and nothing else is.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storeOver } from '../../../../activities/store/open-store.ts';
import type { Store } from '../../../../activities/store/store.ts';
import type { Collections } from '../../../../activities/store/documents/stored.ts';
import { programId, promptId } from '../../../../evolution/ids.ts';
import { rowsOf } from '../../../../evolution/population/population.ts';
import type { Backend } from '../contract.ts';
import { ended, everything, exported, growFully } from '../exchange/export-contract.ts';
import { Crash, faulty } from '../faulty-collections.ts';
import { commitOf, config, delta, grow, newRun, prompt, rollout } from '../fixtures.ts';

const HOUR_MS = 3_600_000;

/** In a database of its own, because texts are looked for in all of it. */
export const pruneContract = (name: string, start: () => Promise<Backend>): void => {
  describe('pruning', () => {
    let backend: Backend;
    let clockMs = Date.UTC(2026, 10, 23);
    let count = 0;
    const freshRun = (): string => `prune-${name}-${++count}`;
    /** As a process that has just started: it has nothing in memory. */
    const fresh = (collections: Collections = backend.collections): Store =>
      storeOver(collections, undefined, () => clockMs);
    const grown = async (lastStep = 2): Promise<string> => {
      const run = freshRun();
      await grow(fresh(), run, lastStep);
      await ended(fresh(), run);
      return run;
    };
    beforeAll(async () => {
      backend = await start();
    });
    afterAll(() => backend.close());

    it('takes a run with all that is its own, leaves every other, and an export brings the run back', async () => {
      const [run, other] = [freshRun(), freshRun()];
      for (const one of [run, other]) await growFully(fresh(), one);
      for (const one of [run, other]) await ended(fresh(), one);
      const before = await everything(fresh(), other);
      const kept = await exported(fresh(), run);
      const whole = await everything(fresh(), run);
      const texts = whole.filter((one) => (one as { readonly collection: string }).collection === 'blobs').length;
      const amount = await fresh().pruning.amountOfRun(run);
      // Without the task and the texts, of which other runs may have some.
      expect(amount.documents).toBe(whole.length - texts - 1);
      expect(amount.bytes).toBeGreaterThan(5 * 2 ** 20);
      expect(await fresh().pruning.removeRun(run, [run])).toBeNull();
      expect(await fresh().pruning.removeRun(run, [run])).toBeNull();
      expect(await everything(fresh(), other)).toEqual(before);
      expect(await fresh().readRun(run)).toBeNull();
      for (const collection of Object.values(backend.collections) as Collections['programs'][])
        expect(await collection.find({ run }, ['_id'])).toEqual([]);
      await fresh().importRuns(kept);
      expect(await everything(fresh(), run)).toEqual(whole);
      expect(await fresh().pruning.removeRun(run, [run])).toBeNull();
    });

    it('keeps the name, because workers remember documents by ids that begin with it', async () => {
      const run = await grown(1);
      const parent = await grown(1);
      await fresh().pruning.removeRun(run, [run]);
      await expect(fresh().createRun(newRun(run))).rejects.toThrow(/its name stays taken: choose another one/);
      const fork = { run, from: parent, step: 1, config: config(), createdAt: new Date() };
      await expect(fresh().createFork(fork)).rejects.toThrow(/stays taken/);
      expect(await fresh().readRun(run)).toBeNull();
      expect(await fresh().pruning.nameTaken(run)).toMatch(/was removed by/);
      expect(await fresh().pruning.nameTaken(parent)).toBeNull();
    });

    it('can be cut short at any write and repeated, and no other run sees any of it', async () => {
      const [run, other] = [await grown(), await grown()];
      const before = await everything(fresh(), other);
      let crashes = 0;
      for (let atWrite = 1; ; atWrite++) {
        const { collections } = faulty(backend.collections, atWrite);
        const came = await fresh(collections)
          .pruning.removeRun(run, [run])
          .catch((error: unknown) => error);
        if (came === null) break;
        expect(came).toBeInstanceOf(Crash);
        crashes++;
        // Whoever wants to go on with it is told what happened.
        if (atWrite > 1 && (await fresh().readRun(run)) !== null)
          await expect(fresh().setStatus(run, 'running', {})).rejects.toThrow(
            /being removed: `npx evolve prune prune-/,
          );
      }
      expect(crashes).toBeGreaterThan(2);
      expect(await everything(fresh(), other)).toEqual(before);
      expect(await fresh().readRun(run)).toBeNull();
    });

    it('leaves what others need: a run that goes on, the parents of a fork, the runs of a sweep that has not ended', async () => {
      const [parent, open] = [await grown(3), freshRun()];
      const fork = freshRun();
      await fresh().createFork({ run: fork, from: parent, step: 2, config: config(), createdAt: new Date() });
      await ended(fresh(), fork);
      await grow(fresh(), open, 1);
      const swept = await grown(1);
      const sweep = { _id: `sweep-${swept}`, run: `sweep:${swept}`, spec: {}, groups: [], stopReason: null };
      await fresh().putSweep({
        ...{ ...sweep, status: 'running', decisions: [], createdAt: new Date(), endedAt: null },
        runs: [{ run: swept, group: 0, seed: 0, repeat: 1 }],
      });
      const { pruning } = fresh();
      expect(Object.fromEntries(await pruning.heldRuns([parent, open, swept]))).toEqual({
        [parent]: `run ${fork} was forked off it`,
        [open]: 'it has not ended (running)',
        [swept]: `sweep ${sweep._id} has not ended`,
      });
      expect(await pruning.removeRun(parent, [parent])).toMatch(/forked off/);
      expect(await fresh().readRun(parent)).not.toHaveProperty('removing');
      await fresh().setSweep(sweep._id, { status: 'finished', endedAt: new Date() });
      expect([...(await pruning.heldRuns([parent, fork, swept]))]).toEqual([]);
      for (const run of [parent, fork, swept]) expect(await pruning.removeRun(run, [parent, fork, swept])).toBeNull();
      expect(await pruning.removeSweeps()).toEqual([sweep._id]);
    });

    it('takes answers that were given up, and neither what the run has now, nor what it paid', async () => {
      const run = freshRun();
      await grow(fresh(), run, 2);
      const answer = async (epoch: number): Promise<void> => {
        await fresh().putPrompts([prompt(run, 3, 0, 'plateau', epoch)]);
        await fresh().putRollouts([rollout(run, 3, 0, 'offline', epoch)]);
      };
      await fresh().openStep(run, 3, 'w');
      await answer(0);
      await fresh().putDeltas([delta(run, 3, 0)]);
      expect(await fresh().pruning.amountOfSuperseded(run)).toEqual({ documents: 0, bytes: 0 });
      await fresh().resample(run, 3, 'asked');
      const generation = await fresh().openStep(run, 3, 'again');
      await answer(1);
      const [paid, rows] = [await fresh().paidNow(run), rowsOf(await fresh().population(run))];
      expect(await fresh().pruning.removeSuperseded(run)).toMatchObject({ documents: 3 });
      expect(await fresh().paidNow(run)).toEqual(paid);
      expect(rowsOf(await fresh().population(run))).toEqual(rows);
      const ids = [0, 1].map((epoch) => promptId(run, 3, epoch, 0));
      expect([...(await fresh().getPrompts(ids)).keys()]).toEqual([ids[1]]);
      expect((await fresh().getRollouts([programId(run, 3, 1, 0)])).size).toBe(1);
      expect((await fresh().getPrograms([programId(run, 2, 0, 0)])).size).toBe(1);
      await fresh().commit({ ...commitOf(run, 3, generation), epoch: 1, programs: [] });
      expect((await fresh().pruning.removeSuperseded(run)).documents).toBe(0);
    });

    it('takes texts that nothing names once they have rested, but none that somebody puts meanwhile', async () => {
      const run = freshRun();
      await fresh().createRun(newRun(run));
      const [named, lone, again] = await fresh().putTexts(['named', 'lone', 'put again meanwhile']);
      await fresh().putPrompts([{ ...prompt(run, 1, 0), user: named! }]);
      const there = async (): Promise<readonly string[]> =>
        [...(await fresh().getTexts([named!, lone!, again!])).values()].sort();
      const first = await fresh().pruning.removeTexts();
      expect(first.later.documents).toBeGreaterThanOrEqual(2);
      expect(await there()).toEqual(['lone', 'named', 'put again meanwhile']);
      clockMs += 13 * HOUR_MS;
      // Somebody stores the same text between the look and the deletion.
      const { blobs } = backend.collections;
      const racing = {
        ...backend.collections,
        blobs: {
          name: blobs.name,
          each: blobs.each.bind(blobs),
          getMany: blobs.getMany.bind(blobs),
          async deleteAll(...wanted: Parameters<typeof blobs.deleteAll>) {
            await fresh().putTexts(['put again meanwhile']);
            return blobs.deleteAll(...wanted);
          },
        } as typeof blobs,
      };
      await fresh(racing).pruning.removeTexts();
      expect(await there()).toEqual(['named', 'put again meanwhile']);
      // With the run, its text is nobody's.
      const { now } = await fresh().pruning.unreferencedTexts([]);
      const without = await fresh().pruning.unreferencedTexts([run]);
      expect(without.now.documents - now.documents).toBe(1);
    });
  });
};
