// The contract of the store: what a run that learns asks of it (samples, batches, updates, policies, going back).
import { describe, expect, it } from 'vitest';
import type { PolicyDocument } from '../../../../activities/store/documents/learning-documents.ts';
import { SupersededError } from '../../../../activities/store/documents/errors.ts';
import { storeOver } from '../../../../activities/store/open-store.ts';
import type { Store } from '../../../../activities/store/store.ts';
import { programId } from '../../../../evolution/ids.ts';
import { faulty, isFailing } from '../faulty-collections.ts';
import { collect, commitOf, grow, newRun } from '../fixtures.ts';
import { policyOf, RESULT, sample, updateOf } from './learning-fixtures.ts';
import type { World } from '../steps/steering-contract.ts';

export const learningContract = (world: World): void => {
  const { freshRun } = world;
  const store = (): Store => world.store();
  /** The store of another process, without a cache. */
  const restarted = (): Store => storeOver(world.backend().collections);
  const crashing = (atWrite: number): Store => storeOver(faulty(world.backend().collections, atWrite).collections);

  describe('samples', () => {
    it('come back bit by bit, the first that was stored, with the prompt of a group stored once', async () => {
      const run = freshRun();
      const all = [0, 1, 2, 3].map((slot) => sample(run, 1, slot));
      await store().putSamples(all);
      await restarted().putSamples([{ ...sample(run, 1, 2), policy: 'other', response: Int32Array.of(7) }]);
      const read = await restarted().getSamples([...all.map(({ id }) => id), 'unknown']);
      expect([...read.values()]).toEqual(all);
      const stored = await world.backend().collections.samples.find({ run });
      expect(new Set(stored.map(({ promptRef }) => promptRef)).size).toBe(2);
    });

    it('of a committed step are read by slot; those of another epoch and of no step are not', async () => {
      const run = freshRun();
      await grow(store(), run, 1);
      await store().putSamples([3, 0, 2].map((slot) => sample(run, 1, slot)));
      await store().putSamples([{ ...sample(run, 1, 1), id: programId(run, 1, 5, 1), epoch: 5 }, sample(run, 2, 0)]);
      const ids = (await collect(restarted().eachSample(run, 1))).map(({ id }) => id);
      expect(ids).toEqual([0, 2, 3].map((slot) => programId(run, 1, 0, slot)));
      await expect(collect(store().eachSample(run, 2))).rejects.toThrow(/a committed step of run .* from 0 to 1/);
    });
  });

  describe('batches', () => {
    it('are stored by content in chunks, once, and a lost or damaged chunk is told', async () => {
      const run = freshRun();
      const bytes = Buffer.alloc(9 * 2 ** 20, run).fill(7, 0, 10);
      const batch = await store().putBatch(run, bytes);
      expect(batch).toMatchObject({ chunks: 3, bytes: bytes.length });
      expect(await restarted().putBatch(run, bytes)).toEqual(batch);
      const read = Buffer.concat(await collect(restarted().readBatch(batch)));
      expect(read.equals(bytes)).toBe(true);
      const { batches } = world.backend().collections;
      await batches.replaceAll([{ _id: `${batch.file}:0001`, run, data: Buffer.from('changed') }]);
      await expect(collect(store().readBatch(batch))).rejects.toThrow(/the database has damaged it/);
      await batches.deleteAll([`${batch.file}:0001`]);
      await expect(collect(store().readBatch(batch))).rejects.toThrow(/chunk 1 of 3 .* has lost it/);
    });
  });

  describe('updates', () => {
    it('keep the first plan, and move on from the states that are named only', async () => {
      const run = freshRun();
      const planned = updateOf(run, 'a');
      expect(await store().putUpdate(planned)).toEqual(planned);
      expect(await restarted().putUpdate({ ...planned, seed: 2 })).toEqual(planned);
      expect(await store().moveUpdate(run, 'a', ['applied'], { state: 'published' })).toBe(false);
      expect(await store().moveUpdate(run, 'a', ['planned', 'applied'], { state: 'applied', result: RESULT })).toBe(
        true,
      );
      expect(await restarted().readUpdate(run, 'a')).toEqual({ ...planned, state: 'applied', result: RESULT });
      expect(await store().readUpdate(run, 'b')).toBeNull();
      expect(await store().moveUpdate(run, 'b', ['planned'], { servedAt: new Date(1) })).toBe(false);
    });

    it('follow the settings to another server, and begin anew with another trainer, until they are committed', async () => {
      const run = freshRun();
      const planned = await store().putUpdate(updateOf(run, 'a'));
      const published = {
        state: 'published',
        result: RESULT,
        served: { baseUrl: null, model: 'm' },
        servedAt: new Date(1),
      } as const;
      await store().moveUpdate(run, 'a', ['planned'], published);
      expect(await store().putUpdate(planned)).toEqual({ ...planned, ...published });
      const moved = { ...planned, serve: 'vllm', serveUrl: 'http://elsewhere' };
      expect(await restarted().putUpdate(moved)).toEqual({ ...moved, state: 'applied', result: RESULT });
      const other = { ...moved, trainer: 'trl' };
      expect(await restarted().putUpdate(other)).toEqual(other);
      await store().moveUpdate(run, 'a', ['planned'], { ...published, state: 'committed' });
      expect(await store().putUpdate(planned)).toEqual({ ...other, ...published, state: 'committed' });
    });
  });

  describe('policies', () => {
    /** A run with steps 0 to `lastStep`, and a policy of each: version n is trained on step n. */
    const learned = async (run: string, lastStep: number): Promise<readonly PolicyDocument[]> => {
      await grow(store(), run, lastStep);
      const made: PolicyDocument[] = [];
      for (let step = 0; step <= lastStep; step++) {
        const policy = policyOf(run, step, step, made.at(-1)?._id ?? null);
        await store().commitPolicy(policy, 1);
        if (step === 0) await store().settleStep(run, 0, 1);
        made.push(policy);
      }
      return made;
    };
    const headOf = async (run: string) => {
      const { policy, learned: step, training } = (await restarted().readRun(run))!;
      return { version: policy?.version ?? null, learned: step, training };
    };

    it('follow each other in a chain, and the run has the last, what it learned and what that cost', async () => {
      const run = freshRun();
      const made = await learned(run, 3);
      expect(await headOf(run)).toEqual({ version: 3, learned: 3, training: { tokens: 3000, costUsd: 0.75 } });
      expect(await restarted().policyChain(made[3]!._id)).toEqual(made);
      expect(await restarted().policyChain(made[1]!._id)).toEqual(made.slice(0, 2));
      expect(await store().policyChain(null)).toEqual([]);
      expect(await store().listPolicies(run)).toEqual(made);
      expect(await store().readPolicy(made[2]!._id)).toEqual(made[2]);
      await expect(store().policyChain('gone')).rejects.toThrow(/the database has lost it/);
    });

    it('are committed once, whoever asks again', async () => {
      const run = freshRun();
      const made = await learned(run, 2);
      await store().putUpdate({ ...updateOf(run, made[2]!.updateId), state: 'published' });
      for (const policy of [made[2]!, made[1]!, made[0]!])
        expect(await restarted().commitPolicy(policy, 1)).toEqual({
          policy: { id: made[2]!._id, version: 2 },
          learned: 2,
        });
      expect((await store().readUpdate(run, made[2]!.updateId))!.state).toBe('committed');
      expect(await headOf(run)).toEqual({ version: 2, learned: 2, training: { tokens: 2000, costUsd: 0.5 } });
    });

    it('of another parent, generation or step are refused, and the run stays as it is', async () => {
      const run = freshRun();
      const made = await learned(run, 2);
      const before = await headOf(run);
      for (const [wrong, generation] of [
        [policyOf(run, 2, 2, made[0]!._id, 'x'), 1],
        [policyOf(run, 3, 2, made[2]!._id, 'x'), 1],
        [policyOf(run, 3, 3, made[2]!._id, 'x'), 1],
        [policyOf(run, 0, 2, null, 'x'), 1],
        [policyOf(run, 3, 2, made[2]!._id, 'x'), 2],
      ] as const)
        await expect(restarted().commitPolicy(wrong, generation)).rejects.toThrow(SupersededError);
      for (const [step, generation] of [
        [3, 1],
        [2, 2],
      ] as const)
        await expect(restarted().settleStep(run, step, generation)).rejects.toThrow(SupersededError);
      expect(await headOf(run)).toEqual(before);
      expect(await store().listPolicies(run)).toEqual(made);
    });

    it('of one parent race, and one wins', async () => {
      const run = freshRun();
      const made = await learned(run, 1);
      await store().commit(commitOf(run, 2, await store().openStep(run, 2, 'w')));
      const rivals = ['x', 'y', 'z'].map((mark) => policyOf(run, 2, 2, made[1]!._id, mark));
      const answers = await Promise.allSettled(rivals.map((policy) => restarted().commitPolicy(policy, 1)));
      expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const { policy } = (await store().readRun(run))!;
      expect(rivals.map(({ _id }) => _id)).toContain(policy!.id);
      expect((await store().policyChain(policy!.id)).map(({ version }) => version)).toEqual([0, 1, 2]);
    });

    it('are whole after a crash at any write', async () => {
      for (let crashAt = 1; ; crashAt++) {
        const run = freshRun();
        const [start] = await learned(run, 0);
        await store().commit(commitOf(run, 1, await store().openStep(run, 1, 'w')));
        const next = policyOf(run, 1, 1, start!._id);
        const failed = await isFailing(crashing(crashAt).commitPolicy(next, 1));
        expect(await restarted().commitPolicy(next, 1)).toEqual({ policy: { id: next._id, version: 1 }, learned: 1 });
        expect(await headOf(run)).toEqual({ version: 1, learned: 1, training: { tokens: 1000, costUsd: 0.25 } });
        if (failed) continue;
        expect(crashAt).toBeGreaterThan(3);
        break;
      }
    });

    it('go back with the run, stay readable, and come again without being paid for twice', async () => {
      const run = freshRun();
      const made = await learned(run, 3);
      const generation = await store().openStep(run, 2, 'reset');
      expect(await headOf(run)).toMatchObject({ version: 1, learned: 1 });
      await expect(restarted().commitPolicy(made[2]!, 1)).rejects.toThrow(SupersededError);
      await store().commit(commitOf(run, 2, generation));
      expect(await restarted().commitPolicy(made[2]!, generation)).toMatchObject({
        policy: { version: 2 },
        learned: 2,
      });
      expect(await headOf(run)).toEqual({ version: 2, learned: 2, training: { tokens: 3000, costUsd: 0.75 } });
      expect((await store().listPolicies(run)).map(({ version }) => version)).toEqual([0, 1, 2, 3]);
      await store().openStep(run, 0, 'again');
      expect(await headOf(run)).toMatchObject({ version: null, learned: -1 });
    });

    it('of a fork are those of its steps, and what it learns is its own', async () => {
      const [run, fork] = [freshRun(), freshRun()];
      const made = await learned(run, 3);
      const at = { run: fork, from: run, config: newRun(fork).config, createdAt: new Date() };
      await store().createFork({ ...at, step: 2 });
      expect(await headOf(fork)).toEqual({ version: 2, learned: 2, training: undefined });
      await store().openStep(run, 1, 'reset');
      expect((await restarted().policyChain((await store().readRun(fork))!.policy!.id)).length).toBe(3);
      const generation = await store().openStep(fork, 3, 'f');
      await store().commit({ ...commitOf(fork, 3, generation), programs: [] });
      await store().commitPolicy(policyOf(fork, 3, 3, made[2]!._id), generation);
      expect(await headOf(fork)).toEqual({ version: 3, learned: 3, training: { tokens: 1000, costUsd: 0.25 } });
    });

    it('where nothing is learned, a step is settled alone; a run that does not learn has none of it', async () => {
      const [run, other] = [freshRun(), freshRun()];
      const made = await learned(run, 1);
      await store().commit(commitOf(run, 2, await store().openStep(run, 2, 'w')));
      const settled = { policy: { id: made[1]!._id, version: 1 }, learned: 2 };
      expect(await store().settleStep(run, 2, 1)).toEqual(settled);
      expect(await restarted().settleStep(run, 1, 1)).toEqual(settled);
      await expect(store().commitPolicy(policyOf(run, 2, 2, made[1]!._id), 1)).rejects.toThrow(SupersededError);
      await grow(store(), other, 2);
      await store().openStep(other, 1, 'reset');
      await store().createFork({
        run: `${other}-f`,
        from: other,
        step: 0,
        config: newRun(run).config,
        createdAt: new Date(),
      });
      for (const one of [other, `${other}-f`])
        expect(Object.keys((await restarted().readRun(one))!)).not.toEqual(
          expect.arrayContaining([expect.stringMatching(/^(policy|learned|training)$/)]),
        );
    });

    it('of a training that is no run are only stored', async () => {
      const name = freshRun();
      const policy: PolicyDocument = { ...policyOf(name, 1, 1, null), kind: 'supervised' };
      for (const from of [store(), restarted()])
        expect(await from.commitPolicy(policy, 1)).toEqual({ policy: { id: policy._id, version: 1 }, learned: 1 });
      expect(await store().listPolicies(name)).toEqual([policy]);
    });
  });
};
